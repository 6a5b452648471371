/** What reads hostile bytes in machine code. Printed by `schema/print-native-libraries.ts` from the binaries. */

export interface NativeLibrary {
  name: string;
  version: string;
  /** The npm package that carries it, with its version. */
  package: string;
  /** Day on which npm published the package, `YYYY-MM-DD`. */
  published: string;
}

export const NATIVE_LIBRARIES: readonly NativeLibrary[] = [
  {
    name: 'FFmpeg',
    version: '8.1-Jellyfin (libavcodec 62.36.101)',
    package: 'node-av@6.1.1',
    published: '2026-08-15',
  },
  {
    name: 'dav1d',
    version: 'a31e4bd',
    package: 'node-av@6.1.1',
    published: '2026-08-15',
  },
  {
    name: 'libvips',
    version: '8.18.7',
    package: '@img/sharp-libvips-linux-x64@1.3.4',
    published: '2026-09-27',
  },
  {
    name: 'libheif',
    version: '1.23.5',
    package: '@img/sharp-libvips-linux-x64@1.3.4',
    published: '2026-09-27',
  },
  {
    name: 'libwebp',
    version: '1.6.0',
    package: '@img/sharp-libvips-linux-x64@1.3.4',
    published: '2026-09-27',
  },
  {
    name: 'libtiff',
    version: '4.7.2',
    package: '@img/sharp-libvips-linux-x64@1.3.4',
    published: '2026-09-27',
  },
  {
    name: 'libpng',
    version: '1.6.58',
    package: '@img/sharp-libvips-linux-x64@1.3.4',
    published: '2026-09-27',
  },
  {
    name: 'mozjpeg',
    version: '0826579',
    package: '@img/sharp-libvips-linux-x64@1.3.4',
    published: '2026-09-27',
  },
  {
    name: 'libaom',
    version: '3.15.1',
    package: '@img/sharp-libvips-linux-x64@1.3.4',
    published: '2026-09-27',
  },
  {
    name: 'lcms',
    version: '2.19.1',
    package: '@img/sharp-libvips-linux-x64@1.3.4',
    published: '2026-09-27',
  },
  {
    name: 'libxml2',
    version: '2.15.4',
    package: '@img/sharp-libvips-linux-x64@1.3.4',
    published: '2026-09-27',
  },
  {
    name: 'librsvg',
    version: '2.63.2',
    package: '@img/sharp-libvips-linux-x64@1.3.4',
    published: '2026-09-27',
  },
  {
    name: 'onnxruntime',
    version: '1.30.0',
    package: 'onnxruntime-node@1.30.0',
    published: '2026-09-14',
  },
  {
    name: 'c2pa-rs',
    version: '0.90.1',
    package: '@contentauth/c2pa-node@0.8.0',
    published: '2026-08-23',
  },
];

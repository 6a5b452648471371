/**
 * Prints docs/native-libraries.md and `domain/native-libraries.ts` from the binaries that npm brought: `node schema/print-native-libraries.ts`;
 * a test compares them with what lies in the repository, so that a new package cannot bring another decoder unseen.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NativeLibrary } from '../src/domain/native-libraries.ts';

const ROOT = join(import.meta.dirname, '..');
export const LIBRARIES_PAGE = join(ROOT, 'docs', 'native-libraries.md');
export const LIBRARIES_TABLE = join(ROOT, 'src', 'domain', 'native-libraries.ts');

/** Days on which npm published the pinned versions (`npm view PACKAGE time`): a binary does not name its day. */
const PUBLISHED: Readonly<Record<string, string>> = {
  '@img/sharp-libvips-linux-x64@1.3.4': '2026-09-27',
  'node-av@6.1.1': '2026-08-15',
  'onnxruntime-node@1.30.0': '2026-09-14',
  '@contentauth/c2pa-node@0.8.0': '2026-08-23',
};

/** The library's own name, and the name that libvips uses. */
const OF_LIBVIPS = [
  ...[['libvips', 'vips'] as const, ['libheif', 'heif'] as const, ['libwebp', 'webp'] as const],
  ...[['libtiff', 'tiff'] as const, ['libpng', 'png'] as const, ['mozjpeg', 'mozjpeg'] as const],
  ...[['libaom', 'aom'] as const, ['lcms', 'lcms'] as const, ['libxml2', 'xml2'] as const],
  ['librsvg', 'rsvg'] as const,
];

/** The libraries are loaded in a process of their own, since they hold 200 MB. */
const ASK = `
  const { default: sharp } = await import('sharp');
  const av = await import('node-av');
  // dav1d says its version nowhere but in the log, when it is opened.
  av.Log.setLevel(av.AV_LOG_VERBOSE);
  const dav1d = av.Codec.findDecoderByName('libdav1d');
  const context = new av.CodecContext();
  context.allocContext3(dav1d);
  await context.open2(dav1d, null);
  const { env } = await import('onnxruntime-node');
  process.stdout.write(JSON.stringify({ vips: sharp.versions, ffmpeg: av.getFFmpegInfo(), onnx: env.versions.node }));
`;

interface Said {
  vips: Record<string, string>;
  ffmpeg: { version: string; libraries: Record<string, string> };
  onnx: string;
}

export function readLibraries(): NativeLibrary[] {
  const args = ['--input-type=module', '-e', ASK];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  const said = JSON.parse(stdout) as Said;
  const dav1d = /libdav1d (\S+)$/m.exec(stderr)?.[1] ?? '';
  const { vips, ffmpeg, onnx } = said;
  const avcodec = `${ffmpeg.version} (libavcodec ${ffmpeg.libraries.avcodec})`;
  return [
    toRow('FFmpeg', avcodec, 'node-av'),
    toRow('dav1d', dav1d, 'node-av'),
    ...OF_LIBVIPS.map(([name, key]) => toRow(name, vips[key] ?? '', '@img/sharp-libvips-linux-x64')),
    toRow('onnxruntime', onnx, 'onnxruntime-node'),
    toRow(
      'c2pa-rs',
      findIn('@contentauth/c2pa-node/dist/index.node', /(?<=c2pa\/)[\d.]+\d/),
      '@contentauth/c2pa-node',
    ),
  ];
}

/** Throws unless exactly one version stands there. */
function findIn(path: string, pattern: RegExp): string {
  const text = readFileSync(join(ROOT, 'node_modules', path), 'latin1');
  const found = new Set(Array.from(text.matchAll(new RegExp(pattern, 'g')), ([version]) => version));
  const [version, ...others] = found;
  if (version === undefined || others.length > 0)
    throw new Error(`${path}: expected one version by ${pattern}, found ${[...found].join(', ') || 'none'}`);
  return version;
}

function toRow(name: string, version: string, from: string): NativeLibrary {
  const own = JSON.parse(readFileSync(join(ROOT, 'node_modules', from, 'package.json'), 'utf8'));
  const carrier = `${from}@${String(own.version)}`;
  const published = PUBLISHED[carrier];
  if (version === '' || published === undefined)
    throw new Error(`${name}: no version, or no day of ${carrier}: ask \`npm view ${from} time\``);
  return { name, version, package: carrier, published };
}

const HEAD = `# Native libraries
What reads hostile bytes in machine code, as the binaries themselves say. Printed by \`schema/print-native-libraries.ts\`; the day is that on
which npm published the package. \`assay doctor\` shows the same under *libraries*.
`;

const NOTES = `
**c2pa-rs.** 0.91.0, in \`@contentauth/c2pa-node\` 0.9.8, fixes what 0.90.1 lacks (overflow in BMFF hashes, pull request 2445; diamonds of ingredients, 2492; panic on odd times, 2469), but needs a package that the registry does not have. Until then ingredients
are counted before 0.90.1 judges any (\`worker/steps/provenance.ts\`), and it runs in a child with a deadline.
`;

export function printPage(libraries: readonly NativeLibrary[]): string {
  const rows = libraries.map(
    ({ name, version, package: carrier, published }) =>
      `| ${name} | ${version} | \`${carrier}\` | ${published} |`,
  );
  return `${HEAD}\n| library | version | package | published |\n|---|---|---|---|\n${rows.join('\n')}\n${NOTES}`;
}

export function printTable(libraries: readonly NativeLibrary[]): string {
  const rows = libraries.map(({ name, version, package: carrier, published }) => {
    const fields = [
      ['name', name],
      ['version', version],
      ['package', carrier],
      ['published', published],
    ];
    return `  {\n${fields.map(([key, value]) => `    ${key}: '${value}',`).join('\n')}\n  },`;
  });
  return `/** What reads hostile bytes in machine code. Printed by \`schema/print-native-libraries.ts\` from the binaries. */

export interface NativeLibrary {
  name: string;
  version: string;
  /** The npm package that carries it, with its version. */
  package: string;
  /** Day on which npm published the package, \`YYYY-MM-DD\`. */
  published: string;
}

export const NATIVE_LIBRARIES: readonly NativeLibrary[] = [
${rows.join('\n')}
];
`;
}

if (import.meta.main) {
  const libraries = readLibraries();
  writeFileSync(LIBRARIES_PAGE, printPage(libraries));
  writeFileSync(LIBRARIES_TABLE, printTable(libraries));
}

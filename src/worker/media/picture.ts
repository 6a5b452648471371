import type { DecodeLimits } from '../protocol/decode-protocol.ts';

/** Upright, 8-bit RGB. */
export interface Picture {
  width: number;
  height: number;
  /** width × height × 3 bytes, row by row. */
  rgb: Buffer;
}

/** The library, with or without our scaling of samples; our reader of HEIF's items; the media library for tracks. */
export type PictureReader = 'library' | 'samples' | 'lab' | 'items' | 'track';

export interface PictureHeader {
  path: string;
  mime: string;
  /** `JPEG`, `PNG`, … for sentences. */
  format: string;
  /** In pixels, after EXIF orientation. */
  width: number;
  height: number;
  pages: number;
  reader: PictureReader;
  /** How further frames are found; null if the pages are no animation. */
  frames: 'pages' | 'track' | null;
  limits: DecodeLimits;
}

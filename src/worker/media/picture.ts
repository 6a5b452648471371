/** A picture as its header describes it, and as it is once decoded. */
import type { DecodeLimits } from '../protocol/decode-protocol.ts';

/** Upright, 8-bit RGB. */
export interface Picture {
  width: number;
  height: number;
  /** width × height × 3 bytes, row by row. */
  rgb: Buffer;
}

export interface PictureHeader {
  path: string;
  mime: string;
  /** `JPEG`, `PNG`, … for sentences. */
  format: string;
  /** After EXIF orientation, pixels. */
  width: number;
  height: number;
  pages: number;
  limits: DecodeLimits;
}

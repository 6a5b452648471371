/** A decoded picture: upright, 8-bit RGB. */

export interface Picture {
  width: number;
  height: number;
  /** width × height × 3 bytes, row by row. */
  rgb: Buffer;
}

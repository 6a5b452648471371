/** A grey picture, or one of its smaller levels: a byte each pixel, row by row. */
export interface Grey {
  width: number;
  height: number;
  values: Uint8Array;
}

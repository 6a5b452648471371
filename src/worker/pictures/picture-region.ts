/** A rectangle of a picture in memory. */
import type { Picture } from '../media/picture.ts';

export interface Region {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The region must lie inside the picture. */
export function cutRegion({ width: stride, rgb }: Picture, region: Region, into?: Buffer): Picture {
  const { x, y, width, height } = region;
  const cut = into ?? Buffer.alloc(width * height * 3);
  const rowBytes = width * 3;
  for (let row = 0; row < height; row++) {
    const start = ((y + row) * stride + x) * 3;
    rgb.copy(cut, row * rowBytes, start, start + rowBytes);
  }
  return { width, height, rgb: cut };
}

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

/** The region may reach beyond the picture, whose edge pixels then go on, as encoders and scalers have it. */
export function cutPadded({ width, height, rgb }: Picture, region: Region, into: Buffer): void {
  const [first, end] = [Math.max(0, region.x), Math.min(width, region.x + region.width)];
  for (let row = 0; row < region.height; row++) {
    const line = Math.max(0, Math.min(height - 1, region.y + row)) * width;
    const to = row * region.width - region.x;
    rgb.copy(into, (to + first) * 3, (line + first) * 3, (line + end) * 3);
    for (let x = region.x; x < first; x++) rgb.copy(into, (to + x) * 3, line * 3, (line + 1) * 3);
    const last = (line + width - 1) * 3;
    for (let x = end; x < region.x + region.width; x++) rgb.copy(into, (to + x) * 3, last, last + 3);
  }
}

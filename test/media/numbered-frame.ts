/** A frame that carries its number as a row of black and white squares along its lower edge, and a colour in each corner. */

const FRAME_NUMBER_BITS = 12;
/** Top left, top right, bottom left, bottom right. */
export const CORNERS = [
  [200, 40, 40],
  [40, 180, 40],
  [50, 60, 200],
  [190, 180, 50],
] as const;

export function paintFrame(index: number, width: number, height: number, rgb: Buffer): void {
  const rowBytes = width * 3;
  const [right, lower] = [Math.ceil(width / 2) * 3, Math.ceil(height / 2)];
  for (const [corner, colour] of CORNERS.entries()) {
    const [from, to] = corner % 2 === 0 ? [0, right] : [right, rowBytes];
    const piece = Buffer.alloc(to - from, Buffer.from(colour));
    const [top, bottom] = corner < 2 ? [0, lower] : [lower, height];
    for (let y = top; y < bottom; y++) rgb.set(piece, y * rowBytes + from);
  }
  const square = Math.floor(width / FRAME_NUMBER_BITS);
  for (let bit = 0; bit < FRAME_NUMBER_BITS; bit++) {
    const shade = (index >> bit) & 1 ? 235 : 16;
    for (let y = height - square; y < height; y++) {
      const start = y * rowBytes + bit * square * 3;
      rgb.fill(shade, start, start + square * 3);
    }
  }
}

/** The number that `paintFrame` drew, from an upright picture. */
export function readFrameNumber(rgb: Uint8Array, width: number, height: number): number {
  const square = Math.floor(width / FRAME_NUMBER_BITS);
  const y = height - Math.ceil(square / 2);
  let number = 0;
  for (let bit = 0; bit < FRAME_NUMBER_BITS; bit++) {
    const x = bit * square + Math.floor(square / 2);
    if ((rgb[(y * width + x) * 3 + 1] ?? 0) > 128) number |= 1 << bit;
  }
  return number;
}

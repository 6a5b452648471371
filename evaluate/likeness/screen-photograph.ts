/** A photograph of a screen by a rule: tilted, with the pattern of two grids, less light at the edges, noise and a soft focus. */
import { type Draw, fromPixels, type Pixels, toPixels } from './copies.ts';

const WIDTH = 960;
const HEIGHT = 720;
const SCREEN_SHARE = 0.85;
/** Corners move by so much of the screen's shorter side. */
const TILT = 0.06;
const GROUND = [18, 18, 22] as const;
const TINT = [1.02, 0.98, 1.08] as const;

type Point = readonly [number, number];

export async function photographScreen(picture: Pixels, draw: Draw): Promise<Pixels> {
  const scale = Math.min((WIDTH * SCREEN_SHARE) / picture.width, (HEIGHT * SCREEN_SHARE) / picture.height);
  const [w, h] = [picture.width * scale, picture.height * scale];
  const move = () => (draw() - 0.5) * 2 * TILT * Math.min(w, h);
  const corner = (x: number, y: number): Point => [
    WIDTH / 2 + x * (w / 2) + move(),
    HEIGHT / 2 + y * (h / 2) + move(),
  ];
  const quad = [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)] as const;
  const rgb = Buffer.alloc(WIDTH * HEIGHT * 3);
  const [phase, pitch] = [draw() * 6, 0.9 + draw() * 0.4];
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      const place = placeIn(quad, x, y);
      const grid = 1 + 0.06 * Math.sin(pitch * x + 0.13 * y + phase) * Math.sin(pitch * 0.97 * y - 0.08 * x);
      const far = ((x - WIDTH / 2) / WIDTH) ** 2 + ((y - HEIGHT / 2) / HEIGHT) ** 2;
      const light = grid * (1 - far / 2) * 0.92;
      for (const [channel, tint] of TINT.entries()) {
        const seen = place === null ? (GROUND[channel] ?? 0) : sample(picture, place, channel);
        const noise = (draw() + draw() + draw() - 1.5) * 10;
        rgb[(y * WIDTH + x) * 3 + channel] = Math.max(0, Math.min(255, seen * light * tint + 12 + noise));
      }
    }
  }
  const shot = fromPixels({ width: WIDTH, height: HEIGHT, rgb }).blur(0.8).jpeg({ quality: 70 });
  const { default: sharp } = await import('sharp');
  return await toPixels(sharp(await shot.toBuffer()));
}

/** Where a point of the photograph is on the screen, 0..1 each way; null beside it. Found by Newton's steps on the bilinear map. */
function placeIn([a, b, c, d]: readonly [Point, Point, Point, Point], x: number, y: number): Point | null {
  let [u, v] = [0.5, 0.5];
  for (let step = 0; step < 4; step++) {
    const at = (axis: 0 | 1) =>
      (1 - u) * (1 - v) * a[axis] + u * (1 - v) * b[axis] + u * v * c[axis] + (1 - u) * v * d[axis];
    const byU = (axis: 0 | 1) => (1 - v) * (b[axis] - a[axis]) + v * (c[axis] - d[axis]);
    const byV = (axis: 0 | 1) => (1 - u) * (d[axis] - a[axis]) + u * (c[axis] - b[axis]);
    const [offX, offY] = [x - at(0), y - at(1)];
    const determinant = byU(0) * byV(1) - byU(1) * byV(0);
    u += (offX * byV(1) - offY * byV(0)) / determinant;
    v += (offY * byU(0) - offX * byU(1)) / determinant;
  }
  return u >= 0 && u <= 1 && v >= 0 && v <= 1 ? [u, v] : null;
}

/** Interpolates between the four nearest pixels. */
function sample({ width, height, rgb }: Pixels, [u, v]: Point, channel: number): number {
  const [x, y] = [u * (width - 1.001), v * (height - 1.001)];
  const [left, top] = [Math.floor(x), Math.floor(y)];
  const [shareX, shareY] = [x - left, y - top];
  const value = (dx: number, dy: number) => rgb[((top + dy) * width + left + dx) * 3 + channel] ?? 0;
  const upper = value(0, 0) * (1 - shareX) + value(1, 0) * shareX;
  const lower = value(0, 1) * (1 - shareX) + value(1, 1) * shareX;
  return upper * (1 - shareY) + lower * shareY;
}

/** A grey picture in smaller and smaller sizes, and blurred: what keypoints are found and described in. */
import { LEVEL_FACTOR, LEVELS } from '../../domain/media/keypoints.ts';
import type { Grey } from './corners.ts';
import { RADIUS } from './descriptor.ts';

/** Levels that are too small to hold a keypoint are left out. */
export function buildPyramid(grey: Grey): Grey[] {
  const levels = [grey];
  while (levels.length < LEVELS) {
    const scale = LEVEL_FACTOR ** levels.length;
    const [width, height] = [Math.round(grey.width / scale), Math.round(grey.height / scale)];
    if (Math.min(width, height) <= 2 * RADIUS + 4) break;
    levels.push(scaleDown(levels.at(-1) as Grey, width, height));
  }
  return levels;
}

/** Between the four nearest pixels: enough where a level is hardly smaller than the one before. */
function scaleDown(from: Grey, width: number, height: number): Grey {
  const values = new Uint8Array(width * height);
  const [stepX, stepY] = [from.width / width, from.height / height];
  for (let y = 0; y < height; y++) {
    const sourceY = Math.max(0, Math.min(from.height - 1.001, (y + 0.5) * stepY - 0.5));
    const top = Math.floor(sourceY);
    const shareY = sourceY - top;
    const line = top * from.width;
    for (let x = 0; x < width; x++) {
      const sourceX = Math.max(0, Math.min(from.width - 1.001, (x + 0.5) * stepX - 0.5));
      const left = Math.floor(sourceX);
      const shareX = sourceX - left;
      const at = line + left;
      const upper = (from.values[at] as number) * (1 - shareX) + (from.values[at + 1] as number) * shareX;
      const below = at + from.width;
      const lower =
        (from.values[below] as number) * (1 - shareX) + (from.values[below + 1] as number) * shareX;
      values[y * width + x] = upper * (1 - shareY) + lower * shareY + 0.5;
    }
  }
  return { width, height, values };
}

/** A binomial filter of five pixels, in both directions. */
export function blur({ width, height, values }: Grey): Grey {
  const half = new Uint16Array(values.length);
  const smooth = new Uint8Array(values);
  for (let y = 0; y < height; y++) {
    for (let at = y * width + 2, end = (y + 1) * width - 2; at < end; at++) {
      half[at] =
        (values[at - 2] as number) +
        (values[at + 2] as number) +
        4 * ((values[at - 1] as number) + (values[at + 1] as number)) +
        6 * (values[at] as number);
    }
  }
  for (let y = 2; y < height - 2; y++) {
    for (let at = y * width + 2, end = (y + 1) * width - 2; at < end; at++) {
      const sum =
        (half[at - 2 * width] as number) +
        (half[at + 2 * width] as number) +
        4 * ((half[at - width] as number) + (half[at + width] as number)) +
        6 * (half[at] as number);
      smooth[at] = (sum + 128) >> 8;
    }
  }
  return { width, height, values: smooth };
}

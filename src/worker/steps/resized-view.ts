/** The whole picture scaled to a model's size, and its middle at native resolution, as one patch file. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Texture } from '../../domain/resized-view.ts';
import type { PatchSet, ResizedLayout } from '../protocol.ts';
import { scaleAntialiased } from './antialiased.ts';
import type { Picture } from './pixels.ts';

/** More of a picture says no more about its texture. */
const TEXTURE_SIDE_MAX = 512;

export async function writeResizedView(
  picture: Picture,
  { name, layout }: { name: string; layout: ResizedLayout },
  outFolder: string,
  filePrefix = '',
): Promise<PatchSet> {
  const { size, shortSide, withNative } = layout;
  const { width, height } = picture;
  const scaled = scaledSides(width, height, shortSide);
  const crop = { x: middle(scaled.width, size), y: middle(scaled.height, size), width: size, height: size };
  const views = [scaleAntialiased(picture, scaled, crop)];
  const positions = [{ x: 0, y: 0 }];
  if (withNative && Math.min(width, height) >= size) {
    const position = { x: middle(width, size), y: middle(height, size) };
    views.push(cut(picture, { ...position, width: size, height: size }));
    positions.push(position);
  }
  const file = `${filePrefix}${name}.rgb`;
  await writeFile(join(outFolder, file), Buffer.concat(views));
  return { name, file, size, positions, width, height, texture: measureTexture(picture) };
}

/** The longer side is rounded down, as torchvision does it. */
function scaledSides(width: number, height: number, shortSide: number): { width: number; height: number } {
  if (width <= height) return { width: shortSide, height: Math.floor((shortSide * height) / width) };
  return { width: Math.floor((shortSide * width) / height), height: shortSide };
}

/** Where a cut of `size` from the middle begins; halves go to the even number, as in Python. */
function middle(length: number, size: number): number {
  const exact = (length - size) / 2;
  const below = Math.floor(exact);
  return exact - below === 0.5 && below % 2 === 0 ? below : Math.round(exact);
}

function cut(
  { width, rgb }: Picture,
  region: { x: number; y: number; width: number; height: number },
): Buffer {
  const lines = Array.from({ length: region.height }, (_, row) => {
    const start = ((region.y + row) * width + region.x) * 3;
    return rgb.subarray(start, start + region.width * 3);
  });
  return Buffer.concat(lines);
}

function measureTexture(picture: Picture): Texture {
  const width = Math.min(TEXTURE_SIDE_MAX, picture.width);
  const height = Math.min(TEXTURE_SIDE_MAX, picture.height);
  const region = { x: middle(picture.width, width), y: middle(picture.height, height), width, height };
  const bytes = cut(picture, region);
  const luma = Float64Array.from(
    { length: width * height },
    (_, at) =>
      0.299 * (bytes[at * 3] ?? 0) + 0.587 * (bytes[at * 3 + 1] ?? 0) + 0.114 * (bytes[at * 3 + 2] ?? 0),
  );
  const mean = luma.reduce((sum, value) => sum + value, 0) / luma.length;
  const variance = luma.reduce((sum, value) => sum + (value - mean) ** 2, 0) / luma.length;
  if (variance === 0) return { lumaVariance: 0, neighbourCorrelation: 0 };
  let [sum, pairs] = [0, 0];
  for (let at = 0; at < luma.length; at++) {
    if (at % width === width - 1) continue;
    sum += ((luma[at] ?? 0) - mean) * ((luma[at + 1] ?? 0) - mean);
    pairs += 1;
  }
  const neighbourCorrelation = pairs === 0 ? 0 : Math.max(-1, Math.min(1, sum / pairs / variance));
  return { lumaVariance: variance, neighbourCorrelation };
}

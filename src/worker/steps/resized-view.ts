/** The whole picture scaled to a model's size, and its middle at native resolution, as one patch file. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ResizedLayout, Texture } from '../../domain/media/resized-view.ts';
import type { Picture } from '../media/picture.ts';
import { scaleAntialiased } from '../pictures/antialiased.ts';
import type { PatchSet } from '../protocol/decoded-media.ts';
import { TextureMeter } from './texture.ts';

/** A larger view shows no more of the texture. */
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

/** Where a cut of `size` from the middle begins; halves round to even, as in Python. */
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
  const meter = new TextureMeter();
  meter.add(bytes, width);
  return meter.texture;
}

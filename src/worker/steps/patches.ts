/**
 * Cuts square patches from the picture and writes them, bytes only, for the inference process. One patch is in
 * memory at a time: a heatmap may ask for thousands.
 */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { type PatchLayout, type PatchPosition, placePatches } from '../../domain/patches.ts';
import type { PatchSet, PatchSetRequest } from '../protocol.ts';
import type { Picture } from './pixels.ts';
import { writeResizedView } from './resized-view.ts';

export const SET_NAME = /^[A-Za-z0-9-]{1,64}$/;

/** Writes one set into `outFolder`, or returns null where the picture is smaller than a patch. `filePrefix` tells frames apart. */
export async function writePatchSet(
  picture: Picture,
  { name, layout, resized }: Pick<PatchSetRequest, 'name' | 'layout' | 'resized'>,
  outFolder: string,
  filePrefix = '',
): Promise<PatchSet | null> {
  const { width, height } = picture;
  if (!SET_NAME.test(name)) throw new Error(`a patch set cannot be named ${JSON.stringify(name)}`);
  if (resized !== undefined) {
    return await writeResizedView(picture, { name, layout: resized }, outFolder, filePrefix);
  }
  if (Math.min(width, height) < layout.size) return null;
  const positions = placePatches(width, height, layout);
  const file = `${filePrefix}${name}.rgb`;
  await writePatches(picture, positions, layout, join(outFolder, file));
  return { name, file, size: layout.size, positions, width, height };
}

async function writePatches(
  picture: Picture,
  positions: PatchPosition[],
  { size }: PatchLayout,
  path: string,
): Promise<void> {
  const patch = Buffer.alloc(size * size * 3);
  await using file = await open(path, 'w');
  for (const position of positions) {
    cutPatch(picture, position, size, patch);
    await file.writeFile(patch);
  }
}

function cutPatch({ width, rgb }: Picture, { x, y }: PatchPosition, size: number, patch: Buffer): void {
  const rowBytes = size * 3;
  for (let row = 0; row < size; row++) {
    const start = ((y + row) * width + x) * 3;
    rgb.copy(patch, row * rowBytes, start, start + rowBytes);
  }
}

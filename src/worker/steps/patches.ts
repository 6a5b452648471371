/**
 * Cuts square patches from the picture and writes them, bytes only, for the inference process. Few patches are
 * in memory at a time: a heatmap may ask for thousands.
 */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { type PatchLayout, type PatchPosition, placePatches } from '../../domain/patches.ts';
import type { PatchSet, PatchSetRequest } from '../protocol.ts';
import type { Picture } from './pixels.ts';
import { writeResizedView } from './resized-view.ts';
import { writeTiles } from './tampering-tiles.ts';
import { TextureMeter } from './texture.ts';

/** Each write waits for a thread and for this one, which decodes video meanwhile: the patches of a verdict go at once. */
const PATCHES_PER_WRITE = 16;

export const SET_NAME = /^[A-Za-z0-9-]{1,64}$/;

/** Writes one set into `outFolder`, or returns null where the picture is smaller than a patch. `filePrefix` tells frames apart. */
export async function writePatchSet(
  picture: Picture,
  request: Pick<PatchSetRequest, 'name' | 'layout' | 'resized' | 'isMirrored' | 'withTexture'>,
  outFolder: string,
  filePrefix = '',
): Promise<PatchSet | null> {
  const { name, layout, resized, isMirrored } = request;
  const { width, height } = picture;
  if (!SET_NAME.test(name)) throw new Error(`a patch set cannot be named ${JSON.stringify(name)}`);
  if (resized !== undefined) {
    return await writeResizedView(picture, { name, layout: resized }, outFolder, filePrefix);
  }
  if (isMirrored === true) return await writeTiles(picture, { name, layout }, outFolder, filePrefix);
  if (Math.min(width, height) < layout.size) return null;
  const positions = placePatches(width, height, layout);
  const file = `${filePrefix}${name}.rgb`;
  const meter = request.withTexture === true ? new TextureMeter() : null;
  await writePatches(picture, positions, layout, join(outFolder, file), meter);
  const set = { name, file, size: layout.size, positions, width, height };
  return meter === null ? set : { ...set, texture: meter.texture };
}

async function writePatches(
  picture: Picture,
  positions: PatchPosition[],
  { size }: PatchLayout,
  path: string,
  meter: TextureMeter | null,
): Promise<void> {
  const patchBytes = size * size * 3;
  const group = Buffer.alloc(Math.min(positions.length, PATCHES_PER_WRITE) * patchBytes);
  await using file = await open(path, 'w');
  for (let first = 0; first < positions.length; first += PATCHES_PER_WRITE) {
    const places = positions.slice(first, first + PATCHES_PER_WRITE);
    for (const [index, position] of places.entries()) {
      const patch = group.subarray(index * patchBytes, (index + 1) * patchBytes);
      cutPatch(picture, position, size, patch);
      meter?.add(patch, size);
    }
    await file.writeFile(group.subarray(0, places.length * patchBytes));
  }
}

function cutPatch({ width, rgb }: Picture, { x, y }: PatchPosition, size: number, patch: Buffer): void {
  const rowBytes = size * 3;
  for (let row = 0; row < size; row++) {
    const start = ((y + row) * width + x) * 3;
    rgb.copy(patch, row * rowBytes, start, start + rowBytes);
  }
}

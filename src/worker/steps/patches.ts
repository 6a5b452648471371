/** Cuts and writes patches, bytes only, few at a time in memory: a heatmap may ask for thousands. */
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { PatchLayout, PatchPosition } from '../../domain/media/patches.ts';
import type { StabilityVariantName } from '../../domain/media/stability.ts';
import type { Picture } from '../media/picture.ts';
import { giveBack } from '../media/scratch.ts';
import { cutRegion } from '../pictures/picture-region.ts';
import type { PatchSetRequest } from '../protocol/decode-protocol.ts';
import type { PatchSet } from '../protocol/decoded-media.ts';
import { choosePatches } from './patch-detail.ts';
import { writeResizedView } from './resized-view.ts';
import { COPIES_AT_ONCE_MAX, copyPatches, copyWhole } from './stability-copies.ts';
import { writeTiles } from './tampering-tiles.ts';
import { TextureMeter } from './texture.ts';

/** A verdict's patches are written at once: each write waits for a thread and for this one, which decodes meanwhile. */
const PATCHES_PER_WRITE = 16;

export const SET_NAME = /^[A-Za-z0-9-]{1,64}$/;

type WrittenRequest = Pick<
  PatchSetRequest,
  'name' | 'variant' | 'layout' | 'resized' | 'isMirrored' | 'withRepeats' | 'withTexture'
>;

/** Writes one set into `outFolder`, or returns null if the picture is smaller than a patch. `filePrefix` distinguishes frames. */
export async function writePatchSet(
  picture: Picture,
  request: WrittenRequest,
  outFolder: string,
  filePrefix = '',
): Promise<PatchSet | null> {
  const { name, variant, layout, resized, isMirrored } = request;
  if (!SET_NAME.test(name)) throw new Error(`a patch set cannot be named ${JSON.stringify(name)}`);
  if (resized !== undefined) {
    const shown = variant === 'original' ? picture : await copyWhole(picture, variant);
    return await writeResizedView(shown, { name, layout: resized }, outFolder, filePrefix);
  }
  if (isMirrored === true) return await writeTiles(picture, request, outFolder, filePrefix);
  const { width, height } = picture;
  if (Math.min(width, height) < layout.size) return null;
  const positions = choosePatches(picture, layout);
  const file = `${filePrefix}${name}.rgb`;
  const set = { name, file, size: layout.size, positions, width, height };
  await using stream = await open(join(outFolder, file), 'w');
  if (variant !== 'original') {
    return (await writeCopies(picture, positions, { layout, variant }, stream)) ? set : null;
  }
  const meter = request.withTexture === true ? new TextureMeter() : null;
  await writePatches(picture, positions, layout, stream, meter);
  return meter === null ? set : { ...set, texture: meter.texture };
}

async function writePatches(
  picture: Picture,
  positions: PatchPosition[],
  { size }: PatchLayout,
  file: FileHandle,
  meter: TextureMeter | null,
): Promise<void> {
  const patchBytes = size * size * 3;
  const group = Buffer.alloc(Math.min(positions.length, PATCHES_PER_WRITE) * patchBytes);
  for (let first = 0; first < positions.length; first += PATCHES_PER_WRITE) {
    const places = positions.slice(first, first + PATCHES_PER_WRITE);
    for (const [index, { x, y }] of places.entries()) {
      const patch = group.subarray(index * patchBytes, (index + 1) * patchBytes);
      cutRegion(picture, { x, y, width: size, height: size }, patch);
      meter?.add(patch, size);
    }
    await file.writeFile(group.subarray(0, places.length * patchBytes));
  }
  giveBack(group);
}

/** False if the picture's copy would be smaller than a patch. */
async function writeCopies(
  picture: Picture,
  positions: PatchPosition[],
  { layout: { size }, variant }: { layout: PatchLayout; variant: StabilityVariantName },
  file: FileHandle,
): Promise<boolean> {
  for (let first = 0; first < positions.length; first += COPIES_AT_ONCE_MAX) {
    const places = positions.slice(first, first + COPIES_AT_ONCE_MAX);
    const patches = await copyPatches(picture, places, { size, variant });
    if (patches === null) return false;
    await file.writeFile(patches);
    giveBack(patches);
  }
  return true;
}

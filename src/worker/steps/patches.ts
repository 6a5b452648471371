/** Cuts and writes patches, bytes only, few at a time in memory: a heatmap may ask for thousands. */

import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import type { PatchLayout, PatchPosition } from '../../domain/media/patches.ts';
import { findRepeatedParts } from '../../domain/media/repeated-parts.ts';
import type { StabilityVariantName } from '../../domain/media/stability.ts';
import { placeTiles } from '../../domain/media/tampering-score.ts';
import type { Picture } from '../media/picture.ts';
import { giveBack, giveBackPicture } from '../media/scratch.ts';
import { openPixels } from '../pictures/picture-file.ts';
import { cutPadded, cutRegion } from '../pictures/picture-region.ts';
import { toPicture } from '../pictures/pixels.ts';
import type { PatchSetRequest } from '../protocol/decode-protocol.ts';
import type { PatchSet } from '../protocol/decoded-media.ts';
import { choosePatches } from './patch-detail.ts';
import { writeResizedView } from './resized-view.ts';
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

const BLOCK_PX = 8;
const CHANNELS = 3;
/** Each write waits for a thread: 16 tiles of 176 pixels are 1.5 MB. */
const TILES_PER_WRITE = 16;

/** Tiles for models that look for edits. A smaller picture's mirror image fills the rest, at whole 8-pixel blocks of JPEG. */
async function writeTiles(
  picture: Picture,
  { name, layout, withRepeats }: Pick<PatchSetRequest, 'name' | 'layout' | 'withRepeats'>,
  outFolder: string,
  filePrefix: string,
): Promise<PatchSet> {
  const { width, height } = picture;
  const { size } = layout;
  const positions = placeTiles(width, height, layout);
  const file = `${filePrefix}${name}.rgb`;
  const tileBytes = size * size * CHANNELS;
  const group = Buffer.alloc(Math.min(positions.length, TILES_PER_WRITE) * tileBytes);
  await using output = await open(join(outFolder, file), 'w');
  for (let first = 0; first < positions.length; first += TILES_PER_WRITE) {
    const places = positions.slice(first, first + TILES_PER_WRITE);
    for (const [index, position] of places.entries()) {
      cutTile(picture, position, size, group.subarray(index * tileBytes, (index + 1) * tileBytes));
    }
    await output.writeFile(group.subarray(0, places.length * tileBytes));
  }
  const set = { name, file, size, positions, width, height };
  if (withRepeats !== true) return set;
  return { ...set, repeats: findRepeatedParts(picture.rgb, width, height) };
}

/** Fills `tile` (RGB, size × size) from the picture and, beyond its blocks, from its mirror image. */
export function cutTile(picture: Picture, { x, y }: PatchPosition, size: number, tile: Buffer): void {
  if (x + size <= picture.width && y + size <= picture.height) {
    cutRegion(picture, { x, y, width: size, height: size }, tile);
    return;
  }
  const columns = mirrored(x, size, picture.width);
  const rows = mirrored(y, size, picture.height);
  let to = 0;
  for (const row of rows) {
    const start = row * picture.width;
    for (const column of columns) {
      const from = (start + column) * CHANNELS;
      tile[to] = picture.rgb[from] ?? 0;
      tile[to + 1] = picture.rgb[from + 1] ?? 0;
      tile[to + 2] = picture.rgb[from + 2] ?? 0;
      to += CHANNELS;
    }
  }
}

/** Where each pixel of a tile's side comes from; a picture under one block is mirrored pixel by pixel. */
function mirrored(start: number, size: number, length: number): number[] {
  if (start + size <= length) return Array.from({ length: size }, (_, index) => start + index);
  const usable = length < BLOCK_PX ? length : length - (length % BLOCK_PX);
  return Array.from({ length: size }, (_, index) => {
    const folded = (start + index) % (2 * usable);
    return folded < usable ? folded : 2 * usable - 1 - folded;
  });
}

/** Around a patch: the kernel of the scaling reaches 4 pixels beyond its edge, halved colour is blended over 2. */
const MARGIN_PX = 8;
/** Surroundings begin on multiples of `step` (a JPEG block, a scaled pixel), so that no `block` holds rows of two. */
const MAKING = {
  'jpeg-60': { scale: 1, quality: 60, step: 16, block: 16 },
  'scale-75': { scale: 0.75, quality: 85, step: 4, block: 64 },
} as const satisfies Record<StabilityVariantName, object>;

/** A JPEG has at most 65,535 rows, and the neighbourhood of the largest patch has 1408. */
const COPIES_AT_ONCE_MAX = 32;

/**
 * Copies as the web would make them, to see whether a verdict survives: of the neighbourhood of each patch that is looked
 * at, so that copy and original are judged at the same places and the cost does not grow with the picture. The
 * neighbourhoods lie one below the other in one picture, since a call of the picture library costs as much as a patch. The
 * patches as the copy shows them, one after the other, or null if the copy would be smaller than a patch.
 */
export async function copyPatches(
  picture: Picture,
  places: readonly PatchPosition[],
  { size, variant }: { size: number; variant: StabilityVariantName },
): Promise<Buffer | null> {
  const { scale, step, block } = MAKING[variant];
  if (Math.min(picture.width, picture.height) * scale < size) return null;
  const taken = Math.ceil(size / scale);
  const side = Math.ceil((taken + 2 * MARGIN_PX + step) / block) * block;
  const sideBytes = side * side * 3;
  const rgb = Buffer.alloc(places.length * sideBytes);
  const toStep = (at: number) => Math.floor(at / step) * step;
  const offsets = places.map(({ x, y }, index) => {
    const inner = { x: startOf(x, picture.width, taken, size), y: startOf(y, picture.height, taken, size) };
    const corner = { x: toStep(inner.x - MARGIN_PX), y: toStep(inner.y - MARGIN_PX) };
    const into = rgb.subarray(index * sideBytes, (index + 1) * sideBytes);
    cutPadded(picture, { ...corner, width: side, height: side }, into);
    return { x: Math.round((inner.x - corner.x) * scale), y: Math.round((inner.y - corner.y) * scale) };
  });
  const copy = await copyWhole({ width: side, height: side * places.length, rgb }, variant);
  giveBack(rgb);
  const patchBytes = size * size * 3;
  const patches = Buffer.alloc(places.length * patchBytes);
  for (const [index, { x, y }] of offsets.entries()) {
    const patch = patches.subarray(index * patchBytes, (index + 1) * patchBytes);
    cutRegion(copy, { x, y: y + index * side * scale, width: size, height: size }, patch);
  }
  giveBackPicture(copy);
  return patches;
}

/** Where the `taken` pixels begin that become the patch when they are scaled about its middle. */
function startOf(at: number, length: number, taken: number, size: number): number {
  return Math.max(0, Math.min(length - taken, at - Math.floor((taken - size) / 2)));
}

/** The whole picture in a variant, for models that see it scaled. */
export async function copyWhole(picture: Picture, variant: StabilityVariantName): Promise<Picture> {
  const { scale, quality } = MAKING[variant];
  const whole = openPixels(picture);
  const width = Math.max(1, Math.round(picture.width * scale));
  const height = Math.max(1, Math.round(picture.height * scale));
  const copy = scale === 1 ? whole : whole.resize({ width, height, fit: 'fill', kernel: 'lanczos3' });
  // Optimised coding costs time and changes no pixel.
  const jpeg = await copy.jpeg({ quality, chromaSubsampling: '4:2:0', optimiseCoding: false }).toBuffer();
  return await toPicture(sharp(jpeg, { limitInputPixels: false }));
}

/** Tiles for models that look for edits. A smaller picture's mirror image fills the rest, at whole 8-pixel blocks of JPEG. */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { PatchPosition } from '../../domain/media/patches.ts';
import { findRepeatedParts } from '../../domain/media/repeated-parts.ts';
import { placeTiles } from '../../domain/media/tampering-score.ts';
import type { Picture } from '../media/picture.ts';
import { cutRegion } from '../pictures/picture-region.ts';
import type { PatchSetRequest } from '../protocol/decode-protocol.ts';
import type { PatchSet } from '../protocol/decoded-media.ts';

const BLOCK_PX = 8;
const CHANNELS = 3;
/** Each write waits for a thread: 16 tiles of 176 pixels are 1.5 MB. */
const TILES_PER_WRITE = 16;

export async function writeTiles(
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

/** A large picture as WebP tiles of every size in one file; lengths give their places (domain/media/rendition.ts). */
import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type RenditionFigures, TILE_PIXELS, tileLevels } from '../../domain/media/rendition.ts';
import { toPictureFault } from '../media/media-fault.ts';
import { readHeader } from '../pictures/header.ts';
import { openForEyes, WEBP_EFFORT, WEBP_QUALITY } from './rendition-picture.ts';
import type { RenderWork } from './rendition-work.ts';

const FILE = 'tiles.bin';
const PYRAMID = 'pyramid';

export async function renderTiles({
  path,
  outFolder,
  limits,
  report,
}: RenderWork): Promise<RenditionFigures> {
  const header = await readHeader(path, limits);
  const { width, height } = header;
  try {
    const image = await openForEyes(header);
    await image
      .webp({ quality: WEBP_QUALITY, effort: WEBP_EFFORT })
      .tile({ size: TILE_PIXELS, overlap: 0, layout: 'dz', depth: 'onetile', container: 'fs' })
      .toFile(join(outFolder, PYRAMID));
  } catch (error) {
    throw toPictureFault(error, header.format);
  }
  report('tiles', 1, 2);
  const tileBytes = await pack(outFolder, width, height);
  return { kind: 'tiles', width, height, tileBytes };
}

async function pack(outFolder: string, width: number, height: number): Promise<number[]> {
  const tileBytes: number[] = [];
  await using file = await open(join(outFolder, FILE), 'wx');
  for (const [level, { columns, rows }] of tileLevels(width, height).entries()) {
    for (let index = 0; index < columns * rows; index += 1) {
      const name = `${index % columns}_${Math.floor(index / columns)}.webp`;
      const tile = await readFile(join(outFolder, `${PYRAMID}_files`, String(level), name));
      await file.writeFile(tile);
      tileBytes.push(tile.length);
    }
  }
  for (const left of [`${PYRAMID}_files`, `${PYRAMID}.dzi`]) {
    await rm(join(outFolder, left), { recursive: true, force: true });
  }
  return tileBytes;
}

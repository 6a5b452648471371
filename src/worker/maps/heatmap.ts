/**
 * Draws the heatmap. Geometry of the PNG, for those who lay it over the picture:
 *
 * - The map begins at 0, 0. It is the upright picture, scaled down (never up) so that its long side is at most
 *   1024 pixels: a picture pixel (x, y) is at (x × mapWidth / pictureWidth, y × mapHeight / pictureHeight).
 * - Below it lies the legend, always LEGEND_HEIGHT (32) pixels high and as wide as the map.
 * - So the PNG is mapWidth × (mapHeight + 32) pixels. The picture shows through in dim grey; the colour over it
 *   has the same strength everywhere, so that the legend reads the same at every point. Where nothing was measured
 *   there is no colour.
 */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';
import type { PatchPosition } from '../../domain/media/patches.ts';
import { toPictureFault } from '../media/media-fault.ts';
import type { PictureHeader } from '../media/picture.ts';
import { readHeader } from '../pictures/header.ts';
import { openUpright } from '../pictures/upright-picture.ts';
import type { RenderHeatmapRequest } from '../protocol/decode-protocol.ts';
import type { RenderedHeatmap } from '../protocol/decoded-media.ts';
import { interpolateCells } from './cell-map.ts';
import { drawLegend, LEGEND_HEIGHT, rampOf } from './heatmap-legend.ts';
import { type GreyPicture, keptGrey } from './kept-grey.ts';
import { mapIndex, paletteOf } from './map-palette.ts';

export const MAP_SIDE_MAX = 1024;

export async function renderHeatmap(
  request: RenderHeatmapRequest,
  slotFolder: string,
): Promise<RenderedHeatmap> {
  const path = join(slotFolder, request.folder, request.input);
  const header = await readHeader(path, request.limits);
  const picture = await keptGrey(path, () => decodeGrey(header));
  const { width } = picture;
  const height = picture.height + LEGEND_HEIGHT;
  const indexes = Buffer.alloc(width * height);
  paintMap(indexes, picture, header, request);
  drawLegend(indexes.subarray(width * picture.height), width, request.layer);
  const palette = paletteOf(rampOf(request.layer));
  const png = await encodePalettePng({ width, height, palette, indexes });
  await writeFile(join(slotFolder, 'out', request.output), png);
  return { width, height };
}

async function decodeGrey(header: PictureHeader): Promise<GreyPicture> {
  const { format, width, height } = header;
  const scale = Math.min(1, MAP_SIDE_MAX / Math.max(width, height));
  const size = {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  };
  try {
    const upright = await openUpright(header);
    const { data } = await upright
      .resize({ ...size, fit: 'fill' })
      .flatten({ background: '#ffffff' })
      .toColourspace('b-w')
      .removeAlpha()
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
    return { ...size, grey: data };
  } catch (error) {
    throw toPictureFault(error, format);
  }
}

function paintMap(
  indexes: Buffer,
  { width, height, grey }: GreyPicture,
  whole: { width: number; height: number },
  request: RenderHeatmapRequest,
): void {
  const steps = { stepX: whole.width / width, stepY: whole.height / height };
  const map = { width, height, ...steps };
  const { cellPx } = request;
  const probabilities =
    cellPx === undefined ? interpolateMap(request, map) : interpolateCells({ ...request, cellPx }, map);
  for (let index = 0; index < probabilities.length; index++) {
    indexes[index] = mapIndex(probabilities[index] ?? Number.NaN, grey[index] ?? 0);
  }
}

const SIGNATURE = Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const BIT_DEPTH = 8;
const INDEXED_COLOUR = 3;
/** A third of the time of zlib's own choice (6), for a twentieth more bytes of a map over a photograph. */
const LEVEL = 4;
const COLOURS_MAX = 256;

interface PalettePicture {
  width: number;
  height: number;
  /** RGB of each colour, at most COLOURS_MAX of them. */
  palette: Uint8Array;
  /** A colour for each pixel, row by row. */
  indexes: Uint8Array;
}

/** Writes a picture of at most 256 known colours as a PNG file, a byte a pixel. */
async function encodePalettePng({ width, height, palette, indexes }: PalettePicture): Promise<Buffer> {
  if (palette.length > 3 * COLOURS_MAX) throw new RangeError(`${palette.length / 3} colours are too many`);
  if (indexes.length !== width * height)
    throw new RangeError(`${indexes.length} pixels for ${width} × ${height}`);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = BIT_DEPTH;
  header[9] = INDEXED_COLOUR;
  const data = await promisify(deflate)(withFilters({ width, height, indexes }), { level: LEVEL });
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', palette),
    chunk('IDAT', data),
    chunk('IEND', new Uint8Array()),
  ]);
}

/** Rows are not filtered, since neighbours in a palette are no neighbours in colour. */
function withFilters({ width, height, indexes }: Omit<PalettePicture, 'palette'>): Buffer {
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y++)
    rows.set(indexes.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  return rows;
}

function chunk(type: string, data: Uint8Array): Buffer {
  const bytes = Buffer.alloc(data.length + 12);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, 'latin1');
  bytes.set(data, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}

/** A probability for every pixel: bilinear between the centres of patches, the outermost score beyond them. */
interface ScoredPatches {
  size: number;
  positions: readonly PatchPosition[];
  /** One per position, 0..1. */
  probabilities: readonly number[];
}

interface Grid {
  /** Centres of columns and rows in pixels of the whole picture, ascending. */
  xs: number[];
  ys: number[];
  /** Row by row. */
  values: Float64Array;
}

/** For a map of `width` × `height` whose pixels are `step` pixels of the whole picture apart. */
function interpolateMap(
  patches: ScoredPatches,
  map: { width: number; height: number; stepX: number; stepY: number },
): Float32Array {
  const grid = toGrid(patches);
  const columns = weigh(grid.xs, map.width, map.stepX);
  const rows = weigh(grid.ys, map.height, map.stepY);
  const stride = grid.xs.length;
  const out = new Float32Array(map.width * map.height);
  let index = 0;
  for (const row of rows) {
    for (const column of columns) {
      const at = (y: number, x: number) => grid.values[y * stride + x] ?? 0;
      const above = at(row.low, column.low) * (1 - column.share) + at(row.low, column.high) * column.share;
      const below = at(row.high, column.low) * (1 - column.share) + at(row.high, column.high) * column.share;
      out[index++] = above * (1 - row.share) + below * row.share;
    }
  }
  return out;
}

/** Positions are a full grid (`placePatches`); on small pictures neighbours may coincide. */
function toGrid({ size, positions, probabilities }: ScoredPatches): Grid {
  if (positions.length === 0 || positions.length !== probabilities.length) {
    throw new Error(`${positions.length} patches with ${probabilities.length} probabilities make no map`);
  }
  const lefts = distinct(positions.map(({ x }) => x));
  const tops = distinct(positions.map(({ y }) => y));
  const values = new Float64Array(lefts.length * tops.length).fill(Number.NaN);
  for (const [index, { x, y }] of positions.entries()) {
    values[tops.indexOf(y) * lefts.length + lefts.indexOf(x)] = probabilities[index] ?? Number.NaN;
  }
  if (values.some(Number.isNaN)) throw new Error('the patches of the map do not fill a grid');
  return { xs: lefts.map((x) => x + size / 2), ys: tops.map((y) => y + size / 2), values };
}

const distinct = (values: number[]): number[] => [...new Set(values)].sort((a, b) => a - b);

interface Weight {
  low: number;
  high: number;
  /** Weight of `high`, 0..1. */
  share: number;
}

function weigh(centres: number[], length: number, step: number): Weight[] {
  let high = 0;
  return Array.from({ length }, (_, index) => {
    const position = (index + 0.5) * step;
    while (high < centres.length && (centres[high] ?? 0) <= position) high++;
    if (high === 0) return { low: 0, high: 0, share: 0 };
    if (high === centres.length) return { low: high - 1, high: high - 1, share: 0 };
    const start = centres[high - 1] ?? 0;
    return { low: high - 1, high, share: (position - start) / ((centres[high] ?? 0) - start) };
  });
}

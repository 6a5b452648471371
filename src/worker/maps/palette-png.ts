/** Writes a picture of at most 256 colours as a PNG file: a byte a pixel, and no colours looked for, since they are known. */
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { chunk, headerChunk, PNG_COLOURS, PNG_SIGNATURE } from '../pictures/png/png-chunks.ts';

export const COLOURS_MAX = 256;

export interface PalettePicture {
  width: number;
  height: number;
  /** RGB of each colour, at most COLOURS_MAX of them. */
  palette: Uint8Array;
  /** A colour for each pixel, row by row. */
  indexes: Uint8Array;
}

export async function encodePalettePng({ width, height, palette, indexes }: PalettePicture): Promise<Buffer> {
  if (palette.length > 3 * COLOURS_MAX) throw new RangeError(`${palette.length / 3} colours are too many`);
  if (indexes.length !== width * height)
    throw new RangeError(`${indexes.length} pixels for ${width} × ${height}`);
  const data = await promisify(deflate)(withFilters({ width, height, indexes }));
  return Buffer.concat([
    PNG_SIGNATURE,
    headerChunk({ width, height }, PNG_COLOURS.indexed),
    chunk('PLTE', palette),
    chunk('IDAT', data),
    chunk('IEND', new Uint8Array()),
  ]);
}

/** Each row begins with its filter: none, since neighbours in a palette are no neighbours in colour. */
function withFilters({ width, height, indexes }: Omit<PalettePicture, 'palette'>): Buffer {
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y++)
    rows.set(indexes.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  return rows;
}

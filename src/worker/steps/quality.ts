/** How hard a JPEG was compressed, and whether data is missing inside: a verdict on it deserves less trust. */

import type { ImageQuality } from '../../domain/verdicts/result.ts';
import type { PictureHeader } from '../media/picture.ts';
import { readSegments } from '../pictures/jpeg-segments.ts';

export async function measureQuality(header: PictureHeader, lacksData: boolean): Promise<ImageQuality> {
  const table = header.mime === 'image/jpeg' ? await readLuminanceTable(header.path) : null;
  return {
    shortSide: Math.min(header.width, header.height),
    jpegQuality: table === null ? null : estimateJpegQuality(table),
    truncated: lacksData,
  };
}

/** ITU-T T.81 table K.1 in the zigzag order in which a file stores it. */
const BASE_LUMINANCE: readonly number[] = [
  16, 11, 12, 14, 12, 10, 16, 14, 13, 14, 18, 17, 16, 19, 24, 40, 26, 24, 22, 22, 24, 49, 35, 37, 29, 40, 58,
  51, 61, 60, 57, 51, 56, 55, 64, 72, 92, 78, 64, 68, 87, 69, 55, 56, 80, 109, 81, 87, 95, 98, 103, 104, 103,
  62, 77, 113, 121, 112, 100, 120, 92, 101, 103, 99,
];

const MARKER_DQT = 0xdb;

/**
 * The quality setting of the IJG encoder whose luminance table comes closest (ITU-T T.81, Annex K.1 and jcparam.c); encoders
 * with tables of their own, such as Photoshop or phones, get the nearest figure. The 64 values of table 0, or null if the
 * file has none before its first scan.
 */
async function readLuminanceTable(path: string): Promise<number[] | null> {
  for await (const { data } of readSegments(path, [MARKER_DQT])) {
    const table = findTableZero(data);
    if (table !== null) return table;
  }
  return null;
}

/** One segment may define several tables, of 8 or 16 bits a value. */
function findTableZero(segment: Buffer): number[] | null {
  for (let offset = 0; offset < segment.length; ) {
    const valueBytes = (segment[offset] ?? 0) >> 4 === 0 ? 1 : 2;
    const id = (segment[offset] ?? 0) & 15;
    const start = offset + 1;
    offset = start + 64 * valueBytes;
    if (offset > segment.length) return null;
    if (id === 0) {
      return Array.from({ length: 64 }, (_, index) =>
        segment.readUIntBE(start + index * valueBytes, valueBytes),
      );
    }
  }
  return null;
}

/** 1..100: the setting whose table differs least. */
function estimateJpegQuality(table: readonly number[]): number {
  let best = { quality: 100, difference: Number.POSITIVE_INFINITY };
  for (let quality = 100; quality >= 1; quality--) {
    const difference = tableDifference(table, quality);
    if (difference < best.difference) best = { quality, difference };
  }
  return best.quality;
}

function tableDifference(table: readonly number[], quality: number): number {
  const scale = quality < 50 ? Math.floor(5000 / quality) : 200 - 2 * quality;
  return BASE_LUMINANCE.reduce((sum, base, index) => {
    const expected = Math.max(1, Math.min(255, Math.floor((base * scale + 50) / 100)));
    return sum + Math.abs(expected - (table[index] ?? 0));
  }, 0);
}

/** How hard a JPEG was compressed, and whether data is missing inside: a verdict on it deserves less trust. */
import type { ImageQuality } from '../../domain/verdicts/result.ts';
import type { PictureHeader } from '../media/picture.ts';
import { estimateJpegQuality, readLuminanceTable } from '../pictures/jpeg-tables.ts';

export async function measureQuality(header: PictureHeader, lacksData: boolean): Promise<ImageQuality> {
  const table = header.mime === 'image/jpeg' ? await readLuminanceTable(header.path) : null;
  return {
    shortSide: Math.min(header.width, header.height),
    jpegQuality: table === null ? null : estimateJpegQuality(table),
    truncated: lacksData,
  };
}

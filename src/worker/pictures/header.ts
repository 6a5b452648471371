/**
 * The first look at a picture: type by content, sides, pages. Bounds are judged here, before any pixel is
 * decoded; a picture of 30,000² pixels fits into 100 KB of PNG.
 */

import type { Metadata } from 'sharp';
import type { MediaType } from '../../domain/media/formats.ts';
import { MediaFaultFound, toPictureFault } from '../media/media-fault.ts';
import type { PictureHeader } from '../media/picture.ts';
import type { DecodeLimits } from '../protocol/decode-protocol.ts';
import { readJxlSize } from './jxl-size.ts';
import { readMediaType, refuseKind } from './media-header.ts';
import { openPicture } from './picture-file.ts';
import { describeRawTiff } from './raw-photo.ts';

/** `type`, if it is known. */
export async function readHeader(
  path: string,
  limits: DecodeLimits,
  type?: MediaType,
): Promise<PictureHeader> {
  const { kind, mime, name: format } = type ?? (await readMediaType(path));
  if (kind !== 'image') throw refuseKind('image', `${format} ${kind}`);
  if (mime === 'image/jxl') return await readJxlHeader({ path, mime, format, limits });
  const raw = mime === 'image/tiff' ? await describeRawTiff(path) : null;
  if (raw !== null) throw refuseKind('image', `${raw}, whose preview is not the photograph`);
  const { autoOrient, pages } = await readMetadata(path, format);
  const header = { path, mime, format, ...autoOrient, pages: pages ?? 1, limits };
  assertBounds(header);
  return header;
}

/** The bounds are judged on the header's own figures first: the media library decodes as soon as it looks. */
async function readJxlHeader(
  file: Pick<PictureHeader, 'path' | 'mime' | 'format' | 'limits'>,
): Promise<PictureHeader> {
  const stored = await readJxlSize(file.path);
  if (stored === null) throw new MediaFaultFound('corrupt', `the ${file.format} header is damaged`);
  assertBounds({ ...file, ...stored, pages: 1 });
  const { readStillSides } = await import('./still-picture.ts');
  const header = { ...file, ...readStillSides(file), pages: 1 };
  assertBounds(header);
  return header;
}

/** Without the library's own pixel limit, whose error does not say how many pixels there are. */
async function readMetadata(path: string, format: string): Promise<Metadata> {
  try {
    return await openPicture(path, false).metadata();
  } catch (error) {
    throw toPictureFault(error, format);
  }
}

function assertBounds({ width, height, limits }: PictureHeader): void {
  const { pixelsMax, sidePixelsMax } = limits;
  if (!(width > 0 && height > 0)) throw new MediaFaultFound('corrupt', 'the picture has no pixels');
  if (Math.max(width, height) > sidePixelsMax) {
    const found = `the picture is ${width} × ${height} pixels`;
    throw new MediaFaultFound('too_many_pixels', `${found}; a side may have at most ${sidePixelsMax}`);
  }
  if (width * height > pixelsMax) {
    const found = `the picture has ${width * height} pixels (${width} × ${height})`;
    throw new MediaFaultFound('too_many_pixels', `${found}; at most ${pixelsMax} are accepted`);
  }
}

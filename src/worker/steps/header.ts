/**
 * The first look at a picture: type by content, sides, pages. Bounds are judged here, before any pixel is
 * decoded; a picture of 30,000² pixels fits into 100 KB of PNG.
 */
import { open } from 'node:fs/promises';
import type { Metadata } from 'sharp';
import { describeAcceptedTypes, type MediaType, sniffMediaType } from '../../domain/media.ts';
import { MediaFaultFound, toPictureFault } from '../media-fault.ts';
import type { DecodeLimits } from '../protocol.ts';
import { describeHead, HEAD_SAMPLE_BYTES } from './foreign-types.ts';
import { openPicture } from './picture-file.ts';

export interface PictureHeader {
  path: string;
  mime: string;
  /** `JPEG`, `PNG`, … for sentences. */
  format: string;
  /** After EXIF orientation, pixels. */
  width: number;
  height: number;
  pages: number;
  limits: DecodeLimits;
}

export async function readHeader(path: string, limits: DecodeLimits): Promise<PictureHeader> {
  const type = await readType(path);
  const format = type.mime.slice('image/'.length).toUpperCase();
  const { autoOrient, pages } = await readMetadata(path, format);
  const header = { path, mime: type.mime, format, ...autoOrient, pages: pages ?? 1, limits };
  assertBounds(header);
  return header;
}

async function readType(path: string): Promise<MediaType> {
  const head = await readHead(path);
  const type = sniffMediaType(head);
  if (type?.kind === 'image') return type;
  throw new MediaFaultFound(
    'unsupported_media_type',
    `the file is ${describeHead(head)}; accepted are ${describeAcceptedTypes('image')}`,
  );
}

async function readHead(path: string): Promise<Buffer> {
  await using file = await open(path, 'r');
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_SAMPLE_BYTES), 0, HEAD_SAMPLE_BYTES, 0);
  return buffer.subarray(0, bytesRead);
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

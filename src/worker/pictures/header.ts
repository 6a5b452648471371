/** Judges bounds before any pixel is decoded: a picture of 30,000² pixels fits into 100 KB of PNG. */

import { formatOf, type MediaType } from '../../domain/media/formats.ts';
import { showsSequence } from '../libav/heif-items.ts';
import { MediaFaultFound, toPictureFault } from '../media/media-fault.ts';
import type { PictureHeader } from '../media/picture.ts';
import type { DecodeLimits } from '../protocol/decode-protocol.ts';
import { readJxlSize } from './jxl-size.ts';
import { readMediaType, refuseKind } from './media-header.ts';
import { assertBounds } from './picture-bounds.ts';
import { openPicture } from './picture-file.ts';
import { assertBoundedParts } from './picture-parts.ts';
import { readPngForm } from './png-chunks.ts';
import { assertBits, isLab8, openableTiff, readerOf } from './tiff-samples.ts';
import { readTiffTags, TIFF_TAGS, type TiffTags } from './tiff-tags.ts';

type PictureFile = Pick<PictureHeader, 'path' | 'mime' | 'format' | 'limits'>;
type Described = Omit<PictureHeader, keyof PictureFile>;

/** `type` is passed if it is known. */
export async function readHeader(
  path: string,
  limits: DecodeLimits,
  type?: MediaType,
): Promise<PictureHeader> {
  const { kind, mime, name: format } = type ?? (await readMediaType(path));
  if (kind !== 'image') throw refuseKind('image', `${format} ${kind}`);
  assertBoundedParts(path, mime);
  const file = { path, mime, format, limits };
  const header = { ...file, ...(await describe(file)) };
  assertBounds(header, limits);
  return header;
}

async function describe(file: PictureFile): Promise<Described> {
  if (formatOf(file.mime)?.isHeif) return await describeHeifFile(file);
  switch (file.mime) {
    case 'image/jxl':
      return await describeJxl(file);
    case 'image/png':
      return await describePng(file);
    case 'image/tiff':
      return await describeTiff(file);
    default: {
      const { sides, pages } = await readMetadata(file);
      return { ...sides, pages, reader: 'library', frames: 'pages' };
    }
  }
}

async function describeHeifFile(file: PictureFile): Promise<Described> {
  if (showsSequence(file.path)) {
    const { describeTrack } = await import('./track-picture.ts');
    return { ...describeTrack(file), reader: 'track', frames: 'track' };
  }
  // Loaded late: it brings the media library, which most pictures do without.
  const { describeHeif } = await import('./heif-picture.ts');
  return { ...describeHeif(file.path), reader: 'items', frames: null };
}

/** The header's own figures are judged first, since the media library decodes as soon as it opens the file. */
async function describeJxl(file: PictureFile): Promise<Described> {
  const stored = await readJxlSize(file.path);
  if (stored === null) throw new MediaFaultFound('corrupt', `the ${file.format} header is damaged`);
  assertBounds(stored, file.limits);
  const { describeTrack } = await import('./track-picture.ts');
  return { ...describeTrack(file), reader: 'track', frames: 'track' };
}

async function describePng(file: PictureFile): Promise<Described> {
  const { isCgbi, frames, isDefaultShown } = readPngForm(file.path);
  if (isCgbi) throw refuseKind('image', "a PNG in Apple's own form (CgBI), which only its programs read");
  const { sides } = await readMetadata(file);
  if (frames === null) return { ...sides, pages: 1, reader: 'library', frames: null };
  const reader = isDefaultShown ? 'library' : 'track';
  return { ...sides, pages: Math.max(1, frames), reader, frames: 'track' };
}

async function describeTiff(file: PictureFile): Promise<Described> {
  const tags = readTiffTags(file.path);
  const raw = tags && describeRawTiff(tags);
  if (raw !== null) throw refuseKind('image', `${raw}, whose preview is not the photograph`);
  if (tags !== null) assertBits(tags);
  const { sides, pages, samples } = await readMetadata(file, await openableTiff(file.path));
  const reader = tags !== null && isLab8(tags) ? 'lab' : readerOf(samples);
  return { ...sides, pages, reader, frames: null };
}

/** Without the library's own pixel limit, whose error does not state the number of pixels. */
async function readMetadata({ path, format }: PictureFile, source: string | Buffer = path) {
  try {
    const samples = await openPicture(source, false).metadata();
    return { sides: samples.autoOrient, pages: samples.pages ?? 1, samples };
  } catch (error) {
    throw toPictureFault(error, format);
  }
}

/** A mosaic of one colour per pixel, and its values made linear (TIFF/EP, DNG). */
const RAW_PHOTOMETRICS = [32_803, 34_892];
const REDUCED_RESOLUTION = 1;

/** Most raw formats are TIFFs whose first page is a small preview: judging that would be a false answer. */
function describeRawTiff({ head, values }: TiffTags): string | null {
  if (head.toString('latin1', 8, 10) === 'CR') return 'a Canon CR2 raw photograph';
  if (values.has(TIFF_TAGS.dngVersion)) return 'a DNG raw photograph';
  const isRaw = RAW_PHOTOMETRICS.includes(values.get(TIFF_TAGS.photometric) ?? 0);
  const isPreview = ((values.get(TIFF_TAGS.newSubfileType) ?? 0) & REDUCED_RESOLUTION) === REDUCED_RESOLUTION;
  // Nikon, Sony and others put a preview first and the picture into a page below it.
  return isRaw || (isPreview && values.has(TIFF_TAGS.subIfds)) ? "a camera's raw photograph" : null;
}

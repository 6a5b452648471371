/** A small WebP for lists: of a picture, or of a video at a third of its time. */
import { join } from 'node:path';
import type { Sharp } from 'sharp';
import type { MediaType } from '../../domain/media/formats.ts';
import {
  type RenditionFigures,
  THUMBNAIL_PLACE,
  THUMBNAIL_SIDE_PIXELS_MAX,
} from '../../domain/media/rendition.ts';
import { assertFrameBounds, toUprightPicture } from '../libav/frame-picture.ts';
import type { PlayedFile } from '../libav/played-file.ts';
import { PlayedFrames } from '../libav/played-frames.ts';
import { MediaFaultFound, toPictureFault } from '../media/media-fault.ts';
import type { Picture } from '../media/picture.ts';
import { readHeader } from '../pictures/header.ts';
import { readMediaType } from '../pictures/media-header.ts';
import { openPixels } from '../pictures/picture-file.ts';
import type { DecodeLimits } from '../protocol/decode-protocol.ts';
import { openForEyes } from './rendition-picture.ts';
import { openFilm } from './rendition-strip.ts';
import type { RenderWork } from './rendition-work.ts';

const FILE = 'thumbnail.webp';
const QUALITY = 72;

export async function renderThumbnail(work: RenderWork): Promise<RenditionFigures> {
  const type = await readMediaType(work.path);
  // A container that looks like sound may hold a film.
  if (type.kind !== 'image') return await write(frameOf(work, type), work);
  const header = await readHeader(work.path, work.limits);
  try {
    return await write(await openForEyes(header), work);
  } catch (error) {
    throw toPictureFault(error, header.format);
  }
}

async function write(image: Sharp, { outFolder }: RenderWork): Promise<RenditionFigures> {
  const side = THUMBNAIL_SIDE_PIXELS_MAX;
  const { width, height } = await image
    .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
    .webp({ quality: QUALITY })
    .toFile(join(outFolder, FILE));
  return { kind: 'thumbnail', width, height };
}

/** The frame at the place, or else the first one: a damaged film may have none at the place. */
function frameOf({ path, limits }: RenderWork, type: MediaType): Sharp {
  using file = openFilm(path, type);
  const found = frameAt(file, limits, file.seconds * THUMBNAIL_PLACE) ?? frameAt(file, limits, 0);
  if (found === null) throw new MediaFaultFound('corrupt', 'no frame of the video can be decoded');
  return openPixels(found);
}

function frameAt(file: PlayedFile, limits: DecodeLimits, seconds: number): Picture | null {
  using frames = new PlayedFrames(file);
  const shown = frames.frameAt(seconds);
  if (shown === null) return null;
  assertFrameBounds(shown.frame, shown.display, limits);
  return toUprightPicture(shown.frame, shown.display);
}

/** What a list shows of a picture, or of a video at a third of its time: one small WebP. */
import { join } from 'node:path';
import type { Sharp } from 'sharp';
import {
  type RenditionFigures,
  THUMBNAIL_PLACE,
  THUMBNAIL_SIDE_PIXELS_MAX,
} from '../../domain/media/rendition.ts';
import { Container } from '../libav/container.ts';
import { displayOf } from '../libav/display.ts';
import { assertFrameBounds, toUprightPicture } from '../libav/frame-picture.ts';
import { FrameWalk } from '../libav/frame-walk.ts';
import { StreamDecoder } from '../libav/stream-decoder.ts';
import { MediaFaultFound, toPictureFault } from '../media/media-fault.ts';
import type { Picture } from '../media/picture.ts';
import { readHeader } from '../pictures/header.ts';
import { readMediaType, refuseKind } from '../pictures/media-header.ts';
import { openPixels } from '../pictures/picture-file.ts';
import { openForEyes } from './rendition-picture.ts';
import { measureSpan } from './rendition-strip.ts';
import type { RenderWork } from './rendition-work.ts';

type MediaType = Parameters<typeof Container.open>[1];

const FILE = 'thumbnail.webp';
const QUALITY = 72;

export async function renderThumbnail(work: RenderWork): Promise<RenditionFigures> {
  const type = readMediaType(work.path);
  // A container that looks like sound may hold a film: a list shows thumbnails of pictures and films alone.
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

/** At the place, else where it begins: of a damaged film there may be nothing at the place. */
function frameOf(work: RenderWork, type: MediaType): Sharp {
  const span = measureSpan(work.path, type);
  const found = frameAt(work, type, span, span.seconds * THUMBNAIL_PLACE) ?? frameAt(work, type, span, 0);
  if (found === null) throw new MediaFaultFound('corrupt', 'no frame of the video can be decoded');
  return openPixels(found);
}

function frameAt(
  { path, limits }: RenderWork,
  type: MediaType,
  span: ReturnType<typeof measureSpan>,
  seconds: number,
): Picture | null {
  using container = Container.open(path, type);
  const stream = container.video;
  if (stream === null) throw refuseKind('video', `${type.name} with sound only`);
  using decoder = new StreamDecoder(container, stream);
  using walk = new FrameWalk(container, stream, decoder, span);
  const shown = walk.frameAt(seconds);
  if (shown === null) return null;
  const display = displayOf(stream, shown.frame);
  assertFrameBounds(shown.frame, display, limits);
  return toUprightPicture(shown.frame, display);
}

/** A picture as a browser shows it: WebP, upright, in sRGB by its own colour profile, no larger than is shown whole. */
import { join } from 'node:path';
import type { Sharp } from 'sharp';
import {
  isTiled,
  PREVIEW_PIXELS_MAX,
  PREVIEW_SIDE_PIXELS_MAX,
  type RenditionFigures,
  WHOLE_SIDE_PIXELS_MAX,
} from '../../domain/media/rendition.ts';
import { toPictureFault } from '../media/media-fault.ts';
import type { PictureHeader } from '../media/picture.ts';
import { readHeader } from '../pictures/header.ts';
import { openUpright } from '../pictures/upright-picture.ts';
import type { RenderWork } from './rendition-work.ts';

const FILE = 'picture.webp';
/** Fine enough for a close look; a rendition is no evidence. */
export const WEBP_QUALITY = 90;
/** Effort from 0 to 6: more costs seconds of a large picture for a few percent of its bytes. */
export const WEBP_EFFORT = 2;

export async function renderPicture(work: RenderWork): Promise<RenditionFigures> {
  const header = await readHeader(work.path, work.limits);
  const { width, height } = header;
  const pixelsMax = isTiled(width, height) ? PREVIEW_PIXELS_MAX : width * height;
  const shrink = Math.min(
    Math.sqrt(pixelsMax / (width * height)),
    WHOLE_SIDE_PIXELS_MAX / Math.max(width, height),
    1,
  );
  const sides = { width: sideOf(width * shrink), height: sideOf(height * shrink) };
  try {
    const image = await openForEyes(header);
    const whole = shrink < 1 ? image.resize({ ...sides, fit: 'fill' }) : image;
    const info = await whole
      .webp({ quality: WEBP_QUALITY, effort: WEBP_EFFORT })
      .toFile(join(work.outFolder, FILE));
    return { kind: 'picture', width: info.width, height: info.height };
  } catch (error) {
    throw toPictureFault(error, header.format);
  }
}

const PREVIEW_FILE = 'preview.jpg';
const JPEG_QUALITY = 82;

/** Small, for a printed report. */
export async function renderPreview(work: RenderWork): Promise<RenditionFigures> {
  const header = await readHeader(work.path, work.limits);
  const side = PREVIEW_SIDE_PIXELS_MAX;
  try {
    const info = await (await openForEyes(header))
      .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
      // JPEG knows no transparency: hidden colours would show.
      .flatten({ background: '#ffffff' })
      .jpeg({ quality: JPEG_QUALITY })
      .toFile(join(work.outFolder, PREVIEW_FILE));
    return { kind: 'preview', width: info.width, height: info.height };
  } catch (error) {
    throw toPictureFault(error, header.format);
  }
}

const sideOf = (pixels: number): number => Math.max(1, Math.floor(pixels));

/** The first page, upright; unlike for models, with its profile's colours. */
export async function openForEyes(header: PictureHeader): Promise<Sharp> {
  return (await openUpright(header, 'truncated', 'shown')).toColourspace('srgb');
}

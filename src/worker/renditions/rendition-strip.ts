/** A strip of thumbnails of a video at even distances in time, side by side in one WebP. */
import { join } from 'node:path';
import sharp, { type OverlayOptions } from 'sharp';
import type { MediaType } from '../../domain/media/formats.ts';
import { type RenditionFigures, STRIP_FRAMES, STRIP_HEIGHT } from '../../domain/media/rendition.ts';
import { assertFrameBounds, toUprightPicture } from '../libav/frame-picture.ts';
import { PlayedFile } from '../libav/played-file.ts';
import { PlayedFrames } from '../libav/played-frames.ts';
import { MediaFaultFound } from '../media/media-fault.ts';
import type { Picture } from '../media/picture.ts';
import { readMediaType, refuseKind } from '../pictures/media-header.ts';
import type { RenderWork } from './rendition-work.ts';

const FILE = 'strip.webp';
const QUALITY = 75;
/** A panorama's thumbnail must not make the strip wider than WebP is: 16 × 640 = 10,240. */
const WIDTH_MAX = 640;

interface Thumbnail {
  timeSeconds: number;
  /** Null if no frame could be decoded there or before. */
  picture: Picture | null;
}

export async function renderStrip(work: RenderWork): Promise<RenditionFigures> {
  const { thumbnails, durationSeconds } = await takeThumbnails(work);
  const first = thumbnails.find(({ picture }) => picture !== null)?.picture;
  if (first === undefined || first === null)
    throw new MediaFaultFound('corrupt', 'no frame of the video can be decoded');
  const { width, height } = first;
  const laid: OverlayOptions[] = thumbnails.flatMap(({ picture }, index) => {
    if (picture === null) return [];
    const raw = { width: picture.width, height: picture.height, channels: 3 } as const;
    return [{ input: picture.rgb, raw, left: index * width, top: 0 }];
  });
  const background = { r: 0, g: 0, b: 0 };
  await sharp({ create: { width: width * thumbnails.length, height, channels: 3, background } })
    .composite(laid)
    .webp({ quality: QUALITY })
    .toFile(join(work.outFolder, FILE));
  const times = thumbnails.map(({ timeSeconds }) => timeSeconds);
  return { kind: 'strip', width, height, durationSeconds, times };
}

async function takeThumbnails({
  path,
  limits,
  report,
}: RenderWork): Promise<{ thumbnails: Thumbnail[]; durationSeconds: number }> {
  const type = await readMediaType(path);
  if (type.kind === 'image') throw refuseKind('video', `a ${type.name} picture`);
  using file = openFilm(path, type);
  using frames = new PlayedFrames(file);
  const thumbnails: Thumbnail[] = [];
  let sides: { width: number; height: number } | null = null;
  for (let index = 0; index < STRIP_FRAMES; index += 1) {
    report('strip', index, STRIP_FRAMES);
    const timeSeconds = ((index + 0.5) * file.seconds) / STRIP_FRAMES;
    const shown = frames.frameAt(timeSeconds);
    // A still or short video has fewer frames than places: the last one is repeated.
    if (shown === null) {
      thumbnails.push({ timeSeconds, picture: thumbnails.at(-1)?.picture ?? null });
      continue;
    }
    assertFrameBounds(shown.frame, shown.display, limits);
    const upright = toUprightPicture(shown.frame, shown.display);
    sides ??= thumbnailSides(upright);
    thumbnails.push({ timeSeconds, picture: await shrink(upright, sides) });
  }
  return { thumbnails, durationSeconds: file.seconds };
}

/** Throws MediaFaultFound for files that are no video. */
export function openFilm(path: string, type: MediaType): PlayedFile {
  const file = PlayedFile.open(path, type, { kind: 'video' });
  if (file.container.video !== null) return file;
  file[Symbol.dispose]();
  throw refuseKind('video', `${type.name} with sound only`);
}

function thumbnailSides({ width, height }: Picture): { width: number; height: number } {
  const scaled = Math.round((STRIP_HEIGHT * width) / height);
  return { width: Math.max(1, Math.min(WIDTH_MAX, scaled)), height: STRIP_HEIGHT };
}

async function shrink(
  { width, height, rgb }: Picture,
  sides: { width: number; height: number },
): Promise<Picture> {
  const raw = { width, height, channels: 3 } as const;
  const data = await sharp(rgb, { raw, limitInputPixels: false })
    .resize({ ...sides, fit: 'cover' })
    .raw()
    .toBuffer();
  return { ...sides, rgb: data };
}

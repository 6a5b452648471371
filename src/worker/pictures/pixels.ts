/** The picture as models see it: first page, upright, 8-bit RGB, once in memory; every patch is cut from it. */
import type { FailOnOptions, Sharp } from 'sharp';
import { toPictureFault } from '../media/media-fault.ts';
import type { Picture, PictureHeader } from '../media/picture.ts';
import { lendThread } from './picture-file.ts';
import { openUpright } from './upright-picture.ts';

/** From so many pixels on one thread decodes and another writes: an idle box has no other work yet. */
const SHARED_PIXELS_MIN = 4_000_000;

export interface DecodedPixels {
  picture: Picture;
  /** The end marker is there, but rows before it are missing and the decoder filled them with grey. */
  lacksData: boolean;
}

/** Decodes strictly first: only a complaint of the strict decoder shows that data is missing inside. */
export async function decodePixels(header: PictureHeader): Promise<DecodedPixels> {
  try {
    return { picture: await decode(header, 'warning'), lacksData: false };
  } catch (error) {
    const text = error instanceof Error ? error.message : '';
    return { picture: await decode(header, 'truncated'), lacksData: /premature end of data/i.test(text) };
  }
}

async function decode(header: PictureHeader, failOn: FailOnOptions): Promise<Picture> {
  using _thread = header.width * header.height < SHARED_PIXELS_MIN ? null : lendThread();
  try {
    return await toPicture(await openUpright(header, failOn));
  } catch (error) {
    throw toPictureFault(error, header.format);
  }
}

/** Transparency is laid on white, as on a page. */
export async function toPicture(image: Sharp): Promise<Picture> {
  const { data, info } = await image
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .removeAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  if (info.channels !== 3) throw new Error(`the picture library gave ${info.channels} channels, not 3`);
  return { width: info.width, height: info.height, rgb: data };
}

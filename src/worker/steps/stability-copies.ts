/**
 * Copies of the picture as the web would make them, to see whether a verdict survives. Made from a central crop
 * of bounded size, on the 8×8 grid of the original, so that the cost does not grow with the picture.
 */
import sharp, { type Sharp } from 'sharp';
import type { PatchSetRequest, StabilityVariantName } from '../protocol.ts';
import { type Picture, toPicture } from './pixels.ts';

/** Many more patches than a copy is asked for; four times the area would double the cost of a picture's analysis. */
const CROP_SIDE_MAX = 1024;
const GRID = 8;

/** The picture in one variant, made when it is first asked for. */
export class VariantCopies {
  readonly #picture: Picture;
  readonly #variant: PatchSetRequest['variant'];
  #part: Promise<Picture> | undefined;
  #whole: Promise<Picture> | undefined;

  constructor(picture: Picture, variant: PatchSetRequest['variant']) {
    this.#picture = picture;
    this.#variant = variant;
  }

  /** A model that sees the whole picture scaled would judge something else of a part. */
  async for({ resized }: Pick<PatchSetRequest, 'resized'>): Promise<Picture> {
    if (this.#variant === 'original') return this.#picture;
    if (resized === undefined) {
      this.#part ??= recode(cropCentre(this.#picture, CROP_SIDE_MAX), this.#variant);
      return await this.#part;
    }
    this.#whole ??= recode(cropCentre(this.#picture, Number.POSITIVE_INFINITY), this.#variant);
    return await this.#whole;
  }
}

async function recode(crop: Crop, variant: StabilityVariantName): Promise<Picture> {
  const jpeg = await encode(crop, variant).toBuffer();
  return await toPicture(sharp(jpeg, { limitInputPixels: false }));
}

interface Crop {
  image: Sharp;
  width: number;
  height: number;
}

function cropCentre({ width, height, rgb }: Picture, sideMax: number): Crop {
  const region = {
    ...cropSide(Math.min(width, sideMax), width, 'left', 'width'),
    ...cropSide(Math.min(height, sideMax), height, 'top', 'height'),
  };
  const image = sharp(rgb, { raw: { width, height, channels: 3 }, limitInputPixels: false }).extract(region);
  return { image, width: region.width, height: region.height };
}

function cropSide<Start extends string, Length extends string>(
  kept: number,
  length: number,
  startKey: Start,
  lengthKey: Length,
): Record<Start | Length, number> {
  const start = Math.floor((length - kept) / 2 / GRID) * GRID;
  return { [startKey]: start, [lengthKey]: kept } as Record<Start | Length, number>;
}

function encode({ image, width, height }: Crop, variant: StabilityVariantName): Sharp {
  if (variant === 'jpeg-60') return image.jpeg({ quality: 60, chromaSubsampling: '4:2:0' });
  const scaled = {
    width: Math.max(1, Math.round(width * 0.75)),
    height: Math.max(1, Math.round(height * 0.75)),
  };
  return image
    .resize({ ...scaled, fit: 'fill', kernel: 'lanczos3' })
    .jpeg({ quality: 85, chromaSubsampling: '4:2:0' });
}

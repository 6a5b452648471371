/**
 * Copies as the web would make them, to see whether a verdict survives: of the neighbourhood of each patch that is
 * looked at, so that copy and original are judged at the same places and the cost does not grow with the picture.
 */
import sharp, { type Sharp } from 'sharp';
import type { PatchPosition } from '../../domain/media/patches.ts';
import type { StabilityVariantName } from '../../domain/media/stability.ts';
import type { Picture } from '../media/picture.ts';
import { openPixels } from '../pictures/picture-file.ts';
import { cutRegion, type Region } from '../pictures/picture-region.ts';
import { toPicture } from '../pictures/pixels.ts';

/** Blocks of a JPEG with halved colour; neighbourhoods begin on them, as they would in a copy of the whole picture. */
const BLOCK_PX = 16;
/** Around a patch: the kernel of the scaling reaches 4 pixels beyond its edge, halved colour is blended over 2. */
const MARGIN_PX = 8;
const SCALE = 0.75;

/** The patch as the copy shows it, or null if the copy would be smaller than a patch. */
export async function copyPatch(
  picture: Picture,
  position: PatchPosition,
  { size, variant }: { size: number; variant: StabilityVariantName },
): Promise<Picture | null> {
  return variant === 'jpeg-60'
    ? await recompress(picture, position, size)
    : await shrink(picture, position, size);
}

/** The whole picture in a variant, for models that see it scaled. */
export async function copyWhole(picture: Picture, variant: StabilityVariantName): Promise<Picture> {
  const whole = openPixels(picture);
  const { width, height } = picture;
  const copy = variant === 'jpeg-60' ? whole : scaleDown(whole, { x: 0, y: 0, width, height });
  return await encode(copy, variant);
}

async function recompress(picture: Picture, { x, y }: PatchPosition, size: number): Promise<Picture> {
  const region = surround(picture, { x, y, width: size, height: size });
  const copy = await encode(openPixels(cutRegion(picture, region)), 'jpeg-60');
  return cutRegion(copy, { x: x - region.x, y: y - region.y, width: size, height: size });
}

async function shrink(picture: Picture, { x, y }: PatchPosition, size: number): Promise<Picture | null> {
  if (Math.min(picture.width, picture.height) * SCALE < size) return null;
  const side = Math.ceil(size / SCALE);
  const start = (at: number, length: number) =>
    Math.max(0, Math.min(length - side, at - Math.floor((side - size) / 2)));
  const wanted = { x: start(x, picture.width), y: start(y, picture.height), width: side, height: side };
  const region = surround(picture, wanted);
  const copy = await encode(scaleDown(openPixels(cutRegion(picture, region)), region), 'scale-75');
  const offset = (from: number, length: number) => Math.min(length - size, Math.round(from * SCALE));
  const place = { x: offset(wanted.x - region.x, copy.width), y: offset(wanted.y - region.y, copy.height) };
  return cutRegion(copy, { ...place, width: size, height: size });
}

/** The region with the margin, begun and ended on blocks or at the picture's edge. */
function surround({ width, height }: Picture, inner: Region): Region {
  const begin = (at: number) => Math.floor(Math.max(0, at - MARGIN_PX) / BLOCK_PX) * BLOCK_PX;
  const end = (at: number, length: number) =>
    Math.min(length, Math.ceil((at + MARGIN_PX) / BLOCK_PX) * BLOCK_PX);
  const [x, y] = [begin(inner.x), begin(inner.y)];
  return {
    x,
    y,
    width: end(inner.x + inner.width, width) - x,
    height: end(inner.y + inner.height, height) - y,
  };
}

function scaleDown(image: Sharp, { width, height }: Region): Sharp {
  const scaled = {
    width: Math.max(1, Math.round(width * SCALE)),
    height: Math.max(1, Math.round(height * SCALE)),
  };
  return image.resize({ ...scaled, fit: 'fill', kernel: 'lanczos3' });
}

async function encode(image: Sharp, variant: StabilityVariantName): Promise<Picture> {
  const jpeg = await image
    .jpeg({ quality: variant === 'jpeg-60' ? 60 : 85, chromaSubsampling: '4:2:0' })
    .toBuffer();
  return await toPicture(sharp(jpeg, { limitInputPixels: false }));
}

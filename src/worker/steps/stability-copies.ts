/**
 * Copies as the web would make them, to see whether a verdict survives: of the neighbourhood of each patch that is
 * looked at, so that copy and original are judged at the same places and the cost does not grow with the picture. The
 * neighbourhoods lie one below the other in one picture, since a call of the picture library costs as much as a patch.
 */
import sharp, { type Sharp } from 'sharp';
import type { PatchPosition } from '../../domain/media/patches.ts';
import type { StabilityVariantName } from '../../domain/media/stability.ts';
import type { Picture } from '../media/picture.ts';
import { giveBack, giveBackPicture } from '../media/scratch.ts';
import { openPixels } from '../pictures/picture-file.ts';
import { cutPadded, cutRegion, type Region } from '../pictures/picture-region.ts';
import { toPicture } from '../pictures/pixels.ts';

/** Around a patch: the kernel of the scaling reaches 4 pixels beyond its edge, halved colour is blended over 2. */
const MARGIN_PX = 8;
const SCALE = 0.75;
/**
 * Each neighbourhood begins on a multiple of `step` pixels of the picture: on a block of a JPEG with halved colour, as it would in
 * a copy of the whole picture, or where a pixel of the scaled copy begins. Its side is a multiple of `block`, so that no
 * block of the copy holds rows of two neighbourhoods.
 */
const MAKING: Record<StabilityVariantName, { scale: number; step: number; block: number }> = {
  'jpeg-60': { scale: 1, step: 16, block: 16 },
  'scale-75': { scale: SCALE, step: 4, block: 64 },
};

/** A JPEG has at most 65,535 rows, and the neighbourhood of the largest patch has 1408. */
export const COPIES_AT_ONCE_MAX = 32;

/** The patches as the copy shows them, one after the other, or null if the copy would be smaller than a patch. */
export async function copyPatches(
  picture: Picture,
  places: readonly PatchPosition[],
  { size, variant }: { size: number; variant: StabilityVariantName },
): Promise<Buffer | null> {
  const { scale, step, block } = MAKING[variant];
  if (Math.min(picture.width, picture.height) * scale < size) return null;
  const side = Math.ceil((Math.ceil(size / scale) + 2 * MARGIN_PX + step) / block) * block;
  const strip = { width: side, height: side * places.length };
  const rgb = Buffer.alloc(strip.width * strip.height * 3);
  const sideBytes = side * side * 3;
  const toStep = (at: number) => Math.floor(at / step) * step;
  const offsets = places.map(({ x, y }, index) => {
    const inner = { x: startOf(x, picture.width, size, scale), y: startOf(y, picture.height, size, scale) };
    const corner = { x: toStep(inner.x - MARGIN_PX), y: toStep(inner.y - MARGIN_PX) };
    const into = rgb.subarray(index * sideBytes, (index + 1) * sideBytes);
    cutPadded(picture, { ...corner, width: side, height: side }, into);
    return { x: Math.round((inner.x - corner.x) * scale), y: Math.round((inner.y - corner.y) * scale) };
  });
  const pixels = openPixels({ ...strip, rgb });
  const copy = await encode(scale === 1 ? pixels : scaleDown(pixels, strip), variant);
  giveBack(rgb);
  const patchBytes = size * size * 3;
  const patches = Buffer.alloc(places.length * patchBytes);
  for (const [index, { x, y }] of offsets.entries()) {
    const patch = patches.subarray(index * patchBytes, (index + 1) * patchBytes);
    cutRegion(copy, { x, y: y + index * side * scale, width: size, height: size }, patch);
  }
  giveBackPicture(copy);
  return patches;
}

/** Where the part of the picture begins that becomes the patch when it is scaled about its middle. */
function startOf(at: number, length: number, size: number, scale: number): number {
  const side = Math.ceil(size / scale);
  return Math.max(0, Math.min(length - side, at - Math.floor((side - size) / 2)));
}

/** The whole picture in a variant, for models that see it scaled. */
export async function copyWhole(picture: Picture, variant: StabilityVariantName): Promise<Picture> {
  const whole = openPixels(picture);
  const { width, height } = picture;
  const copy = variant === 'jpeg-60' ? whole : scaleDown(whole, { width, height });
  return await encode(copy, variant);
}

function scaleDown(image: Sharp, { width, height }: Pick<Region, 'width' | 'height'>): Sharp {
  const scaled = {
    width: Math.max(1, Math.round(width * SCALE)),
    height: Math.max(1, Math.round(height * SCALE)),
  };
  return image.resize({ ...scaled, fit: 'fill', kernel: 'lanczos3' });
}

async function encode(image: Sharp, variant: StabilityVariantName): Promise<Picture> {
  // Better coding changes no pixel.
  const jpeg = await image
    .jpeg({ quality: variant === 'jpeg-60' ? 60 : 85, chromaSubsampling: '4:2:0', optimiseCoding: false })
    .toBuffer();
  return await toPicture(sharp(jpeg, { limitInputPixels: false }));
}

/**
 * Copies as the web would make them, to see whether a verdict survives: of the neighbourhood of each patch that is
 * looked at, so that copy and original are judged at the same places and the cost does not grow with the picture. The
 * neighbourhoods lie one below the other in one picture, since a call of the picture library costs as much as a patch.
 */
import sharp from 'sharp';
import type { PatchPosition } from '../../domain/media/patches.ts';
import type { StabilityVariantName } from '../../domain/media/stability.ts';
import type { Picture } from '../media/picture.ts';
import { giveBack, giveBackPicture } from '../media/scratch.ts';
import { openPixels } from '../pictures/picture-file.ts';
import { cutPadded, cutRegion } from '../pictures/picture-region.ts';
import { toPicture } from '../pictures/pixels.ts';

/** Around a patch: the kernel of the scaling reaches 4 pixels beyond its edge, halved colour is blended over 2. */
const MARGIN_PX = 8;
/**
 * Neighbourhoods begin on a multiple of `step` pixels (a block of a JPEG with halved colour, or a pixel of
 * the scaled copy); sides are multiples of `block`, so that no block of the copy holds rows of two.
 */
const MAKING = {
  'jpeg-60': { scale: 1, quality: 60, step: 16, block: 16 },
  'scale-75': { scale: 0.75, quality: 85, step: 4, block: 64 },
} as const satisfies Record<StabilityVariantName, object>;

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
  const taken = Math.ceil(size / scale);
  const side = Math.ceil((taken + 2 * MARGIN_PX + step) / block) * block;
  const sideBytes = side * side * 3;
  const rgb = Buffer.alloc(places.length * sideBytes);
  const toStep = (at: number) => Math.floor(at / step) * step;
  const offsets = places.map(({ x, y }, index) => {
    const inner = { x: startOf(x, picture.width, taken, size), y: startOf(y, picture.height, taken, size) };
    const corner = { x: toStep(inner.x - MARGIN_PX), y: toStep(inner.y - MARGIN_PX) };
    const into = rgb.subarray(index * sideBytes, (index + 1) * sideBytes);
    cutPadded(picture, { ...corner, width: side, height: side }, into);
    return { x: Math.round((inner.x - corner.x) * scale), y: Math.round((inner.y - corner.y) * scale) };
  });
  const copy = await copyWhole({ width: side, height: side * places.length, rgb }, variant);
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

/** Where the `taken` pixels begin that become the patch when they are scaled about its middle. */
function startOf(at: number, length: number, taken: number, size: number): number {
  return Math.max(0, Math.min(length - taken, at - Math.floor((taken - size) / 2)));
}

/** The whole picture in a variant, for models that see it scaled. */
export async function copyWhole(picture: Picture, variant: StabilityVariantName): Promise<Picture> {
  const { scale, quality } = MAKING[variant];
  const whole = openPixels(picture);
  const width = Math.max(1, Math.round(picture.width * scale));
  const height = Math.max(1, Math.round(picture.height * scale));
  const copy = scale === 1 ? whole : whole.resize({ width, height, fit: 'fill', kernel: 'lanczos3' });
  // Optimised coding costs time and changes no pixel.
  const jpeg = await copy.jpeg({ quality, chromaSubsampling: '4:2:0', optimiseCoding: false }).toBuffer();
  return await toPicture(sharp(jpeg, { limitInputPixels: false }));
}

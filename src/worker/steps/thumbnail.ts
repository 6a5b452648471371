/** Compares a file's thumbnail with its picture: an editor that forgets the thumbnail leaves the earlier one. */
import { hammingDistance, type PerceptualHash } from '../../domain/media/perceptual-hash.ts';
import type { Picture } from '../media/picture.ts';
import { openPicture } from '../pictures/picture-file.ts';
import { hashPicture } from './perceptual-hash.ts';

/** Cameras write 160 × 120. */
const THUMBNAIL_PIXELS_MAX = 1_000_000;
/** It lies as the sensor does, or as the picture is shown. */
const TURNS = [0, 90, 180, 270] as const;

/** Bits of 256; null if either cannot be hashed. `hash`: that of the picture. */
export async function compareThumbnail(
  thumbnail: Buffer,
  picture: Picture,
  hash: PerceptualHash | null = hashPicture(picture),
): Promise<number | null> {
  if (hash === null || hash.quality < QUALITY_MIN) return null;
  const distances: number[] = [];
  for (const turn of TURNS) {
    const small = await openThumbnail(thumbnail, picture, turn);
    const own = small && hashPicture(small);
    if (own === null) return null;
    distances.push(hammingDistance(hash.hash, own.hash));
  }
  return Math.min(...distances);
}

/** Without the bars that fill it up to 4 : 3. Null if it is damaged: then there is nothing to compare. */
async function openThumbnail(
  thumbnail: Buffer,
  { width, height }: Picture,
  turn: number,
): Promise<Picture | null> {
  try {
    const turned = await openPicture(thumbnail, THUMBNAIL_PIXELS_MAX, 'error')
      .rotate(turn)
      .toColourspace('srgb')
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const { info, data } = turned;
    if (info.channels !== 3) return null;
    const scale = Math.min(info.width / width, info.height / height);
    const [columns, rows] = [Math.round(width * scale), Math.round(height * scale)];
    const [left, top] = [(info.width - columns) >> 1, (info.height - rows) >> 1];
    const rgb = Buffer.alloc(columns * rows * 3);
    for (let row = 0; row < rows; row += 1) {
      const from = ((top + row) * info.width + left) * 3;
      data.copy(rgb, row * columns * 3, from, from + columns * 3);
    }
    return { width: columns, height: rows, rgb };
  } catch {
    return null;
  }
}

/** Below, pictures have too little in them for a hash to mean something. */
const QUALITY_MIN = 20;

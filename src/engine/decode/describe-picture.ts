/** By what copies of a picture are found, while somebody waits: a file that was sent, or an original that is kept. */
import type { AskedPicture } from '../../domain/media/perceptual-hash.ts';
import { DECODE_LIMITS } from './decode-limits.ts';
import { type Originals, placeOriginal } from './place-original.ts';
import { type CallerBounds, lookForCaller, type Pool } from './probe.ts';

export type PictureToDescribe = { path: string } | { hash: string; blobs: Originals };

/** Null where the picture is too small. Throws AppErrors and AbortError. */
export async function describeForCaller(
  pool: Pool,
  picture: PictureToDescribe,
  bounds: CallerBounds,
): Promise<AskedPicture | null> {
  return await lookForCaller(
    pool,
    async (slot, within) => {
      const { signal } = bounds;
      const input =
        'path' in picture
          ? await slot.placeInput(picture.path, { signal })
          : await placeOriginal(slot, picture.blobs, { hash: picture.hash, signal });
      return (await slot.request({ type: 'describe-picture', input, limits: DECODE_LIMITS }, within)).asked;
    },
    bounds,
  );
}

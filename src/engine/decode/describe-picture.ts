/** Describes pictures for searches by copies, for a caller who waits or beside other work. */
import type { AskedPicture, DescribedPicture } from '../../domain/media/perceptual-hash.ts';
import { DECODE_LIMITS } from './decode-limits.ts';
import type { DecodePool } from './decode-pool.ts';
import { type Originals, placeOriginal } from './place-original.ts';
import { type CallerBounds, lookForCaller, type Pool } from './probe.ts';

/** A child that takes longer for a picture hangs. */
const KEPT_TIMEOUT_MS = 60_000;

/** An original, or a frame of an analysed film. */
export type KeptFile = { hash: string } | { framePath: string };

export type AskedFile = { path: string; hash?: string } | { hash: string; blobs: Originals };

/** Null if the picture is too small. Throws AppErrors and AbortError. */
export async function describeForCaller(
  pool: Pool,
  picture: AskedFile,
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

/** Uses the slots of renditions, so that no analysis waits for it. Throws what a child throws. */
export async function describeKept(
  pool: Pick<DecodePool, 'run'>,
  blobs: Originals,
  { stored, signal }: { stored: KeptFile; signal: AbortSignal },
): Promise<DescribedPicture | null> {
  return await pool.run(
    'rendition',
    async (slot) => {
      const isFrame = 'framePath' in stored;
      const input = isFrame
        ? await slot.placeInput(stored.framePath, { signal })
        : await placeOriginal(slot, blobs, { hash: stored.hash, signal });
      const work = { type: 'describe-kept', input, limits: DECODE_LIMITS, isFrame } as const;
      return (await slot.request(work, { signal, timeoutMs: KEPT_TIMEOUT_MS })).picture;
    },
    { signal },
  );
}

/** Puts a stored original into a slot, hashed on the way: throws ChangedOriginalError where it is not what was submitted. */
import type { BlobStore } from '../../store/blobs.ts';
import type { DecodeSlot } from './decode-slot.ts';

export async function placeOriginal(
  slot: Pick<DecodeSlot, 'placeInput'>,
  blobs: Pick<BlobStore, 'pathOf' | 'checks'>,
  { hash, signal }: { hash: string; signal?: AbortSignal },
): Promise<string> {
  const readWhole = (path: string) => blobs.checks.read(hash, { path, signal });
  return await slot.placeInput(blobs.pathOf(hash), { readWhole, signal });
}

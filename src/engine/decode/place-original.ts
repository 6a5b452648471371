/** Puts a stored original into a slot, hashed on the way: throws ChangedOriginalError if it is not what was submitted. */
import type { BlobChecks } from '../../store/blob-checks.ts';
import type { DecodeSlot } from './decode-slot.ts';

/** Originals by their hash, each read with its hash checked on the way. */
export interface Originals {
  pathOf(hash: string): string;
  readonly checks: Pick<BlobChecks, 'read'>;
}

export async function placeOriginal(
  slot: Pick<DecodeSlot, 'placeInput'>,
  blobs: Originals,
  { hash, signal }: { hash: string; signal?: AbortSignal },
): Promise<string> {
  const readWhole = (path: string) => blobs.checks.read(hash, { path, signal });
  return await slot.placeInput(blobs.pathOf(hash), { readWhole, signal });
}

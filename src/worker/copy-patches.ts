/** Patches of copies of a picture, once the models' answer for the picture itself is known to need them. */
import { join } from 'node:path';
import { readPicture } from './kept-picture.ts';
import type { CopyPatchesRequest, PatchSet } from './protocol/decode-protocol.ts';
import { writePatchSet } from './steps/patches.ts';

export async function copyPatches(request: CopyPatchesRequest, slotFolder: string): Promise<PatchSet[]> {
  const picture = await readPicture(join(slotFolder, 'in', request.input), request.limits);
  const sets: PatchSet[] = [];
  for (const set of request.patchSets) {
    const written = await writePatchSet(picture, set, join(slotFolder, 'out'));
    if (written !== null) sets.push(written);
  }
  return sets;
}

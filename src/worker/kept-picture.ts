/** The picture that was decoded last, kept for further requests on the same file; a larger one is decoded again. */
import { join } from 'node:path';
import type { Picture } from './media/picture.ts';
import { giveBackPicture } from './media/scratch.ts';
import { readHeader } from './pictures/header.ts';
import { decodePixels } from './pictures/pixels.ts';
import type { CopyPatchesRequest, CutViewsRequest, DecodeLimits } from './protocol/decode-protocol.ts';
import type { PatchSet } from './protocol/decoded-media.ts';
import { writePatchSet } from './steps/patches.ts';
import { writeViews } from './steps/views.ts';

/** Sixteen megapixels, as telephones take. Each slot may hold one. */
const KEPT_BYTES_MAX = 48 * 1024 ** 2;

let kept: { path: string; picture: Picture } | null = null;

/** Keeps the picture, or releases its memory if it is not wanted or too large: it must not be read after that. */
export function endPicture(path: string, picture: Picture, { isKept }: { isKept: boolean }): void {
  forgetPicture();
  if (isKept && picture.rgb.length <= KEPT_BYTES_MAX) kept = { path, picture };
  else giveBackPicture(picture);
}

export function forgetPicture(): void {
  if (kept !== null) giveBackPicture(kept.picture);
  kept = null;
}

/** Throws MediaFaultFound like decoding does. */
export async function readPicture(path: string, limits: DecodeLimits): Promise<Picture> {
  if (kept?.path === path) return kept.picture;
  const { picture } = await decodePixels(await readHeader(path, limits));
  return picture;
}

/** Patches of copies of a picture, once the models' answer for the picture itself is known to need them. */
export async function copyPatches(request: CopyPatchesRequest, slotFolder: string): Promise<PatchSet[]> {
  const picture = await readPicture(join(slotFolder, request.folder, request.input), request.limits);
  const sets: PatchSet[] = [];
  for (const set of request.patchSets) {
    const written = await writePatchSet(picture, set, join(slotFolder, 'out'));
    if (written !== null) sets.push(written);
  }
  return sets;
}

export async function cutViews(request: CutViewsRequest, slotFolder: string): Promise<PatchSet> {
  const { folder, input, limits, views } = request;
  const picture = await readPicture(join(slotFolder, folder, input), limits);
  return await writeViews(picture, { ...request, views }, join(slotFolder, 'out'));
}

/**
 * The picture that was decoded last, for what is asked of the same file next: its copies, its faces. A slot keeps it until its
 * folders are emptied; what is larger is decoded again.
 */

import type { Picture } from './media/picture.ts';
import { giveBackPicture } from './media/scratch.ts';
import { readHeader } from './pictures/header.ts';
import { decodePixels } from './pictures/pixels.ts';
import type { DecodeLimits } from './protocol/decode-protocol.ts';

/** Sixteen megapixels: photographs of telephones. Each slot may hold one. */
const KEPT_BYTES_MAX = 48 * 1024 ** 2;

let kept: { path: string; picture: Picture } | null = null;

/** Keeps the picture, or gives its memory back if it is not to be kept or too large: reading it after that is an error. */
export function endPicture(path: string, picture: Picture, { isKept }: { isKept: boolean }): void {
  forgetPicture();
  if (isKept && picture.rgb.length <= KEPT_BYTES_MAX) kept = { path, picture };
  else giveBackPicture(picture);
}

export function forgetPicture(): void {
  if (kept !== null) giveBackPicture(kept.picture);
  kept = null;
}

/** Throws MediaFaultFound as decoding does. */
export async function readPicture(path: string, limits: DecodeLimits): Promise<Picture> {
  if (kept?.path === path) return kept.picture;
  const { picture } = await decodePixels(await readHeader(path, limits));
  return picture;
}

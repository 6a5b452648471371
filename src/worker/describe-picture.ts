/** By what copies of a picture are found, of a picture that somebody searches with: it is neither kept nor analysed. */
import { join } from 'node:path';
import type { AskedPicture } from '../domain/media/perceptual-hash.ts';
import { readHeader } from './pictures/header.ts';
import { decodePixels } from './pictures/pixels.ts';
import type { DescribePictureRequest } from './protocol/decode-protocol.ts';
import { describeAsked } from './steps/likeness.ts';

/** Throws MediaFaultFound where the file is no picture. */
export async function describePicture(
  { input, limits }: DescribePictureRequest,
  slotFolder: string,
): Promise<AskedPicture | null> {
  const header = await readHeader(join(slotFolder, 'in', input), limits);
  const { picture } = await decodePixels(header);
  return await describeAsked(picture);
}

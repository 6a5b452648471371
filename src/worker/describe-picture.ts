/** Describes a search's picture, which is neither kept nor analysed, or an original, so that copies of it are found. */
import { join } from 'node:path';
import { FRAME_KEYPOINTS_MAX, STORED_KEYPOINTS_MAX } from '../domain/media/keypoints.ts';
import type { AskedPicture, DescribedPicture } from '../domain/media/perceptual-hash.ts';
import type { Picture } from './media/picture.ts';
import { readHeader } from './pictures/header.ts';
import { decodePixels } from './pictures/pixels.ts';
import type { DescribeKeptRequest, DescribePictureRequest } from './protocol/decode-protocol.ts';
import { describeAsked, describePixels } from './steps/likeness.ts';

/** Throws MediaFaultFound if the file is no picture. */
export async function describePicture(
  request: DescribePictureRequest,
  slotFolder: string,
): Promise<AskedPicture | null> {
  return await describeAsked(await decode(request, slotFolder));
}

/** Throws MediaFaultFound if the file is no picture. */
export async function describeKept(
  request: DescribeKeptRequest,
  slotFolder: string,
): Promise<DescribedPicture | null> {
  const countMax = request.isFrame ? FRAME_KEYPOINTS_MAX : STORED_KEYPOINTS_MAX;
  return await describePixels(await decode(request, slotFolder), countMax);
}

async function decode(
  { input, limits }: DescribePictureRequest | DescribeKeptRequest,
  slotFolder: string,
): Promise<Picture> {
  const header = await readHeader(join(slotFolder, 'in', input), limits);
  return (await decodePixels(header)).picture;
}

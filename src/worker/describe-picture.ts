/** Describes a search's picture, which is neither kept nor analysed, or an original, so that copies of it are found. */

import { join } from 'node:path';
import {
  ASKED_KEYPOINTS_MAX,
  ASKED_SIDE,
  type AskedKeypoints,
  FRAME_KEYPOINTS_MAX,
  packAskedKeypoints,
  packKeypoints,
  STORED_KEYPOINTS_MAX,
  STORED_SIDE,
} from '../domain/media/keypoints.ts';
import type { AskedPicture, DescribedPicture } from '../domain/media/perceptual-hash.ts';
import { findAskedKeypoints as findAsked, findKeypoints } from './keypoints/find-keypoints.ts';
import type { Picture } from './media/picture.ts';
import { readHeader } from './pictures/header.ts';
import { decodePixels } from './pictures/pixels.ts';
import type { DescribeKeptRequest, DescribePictureRequest } from './protocol/decode-protocol.ts';
import { hashPicture } from './steps/perceptual-hash.ts';

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

/** Null if the picture is too small. */
export async function describePixels(picture: Picture, countMax: number): Promise<DescribedPicture | null> {
  // Runs on a thread of its own, beside the hash.
  const finding = findKeypoints(picture, { side: STORED_SIDE, countMax });
  const hash = hashPicture(picture);
  const keypoints = await finding;
  if (hash === null) return null;
  return keypoints.count === 0 ? hash : { ...hash, keypoints: toBase64(packKeypoints(keypoints)) };
}

/** Keypoints of a search's picture, in more detail: as it is, and mirrored. */
export async function findAskedKeypoints(picture: Picture): Promise<[AskedKeypoints, AskedKeypoints]> {
  const wanted = { side: ASKED_SIDE, countMax: ASKED_KEYPOINTS_MAX };
  return [await findAsked(picture, wanted), await findAsked(picture, wanted, true)];
}

/** The description of a search's picture. Null if it is too small. */
async function describeAsked(picture: Picture): Promise<AskedPicture | null> {
  const hash = hashPicture(picture);
  if (hash === null) return null;
  const [asItIs, mirrored] = await findAskedKeypoints(picture);
  const [keypoints, mirroredKeypoints] = [asItIs, mirrored].map((asked) =>
    toBase64(packAskedKeypoints(asked)),
  ) as [string, string];
  return { ...hash, keypoints, mirroredKeypoints };
}

const toBase64 = (packed: Uint8Array): string => Buffer.from(packed).toString('base64');

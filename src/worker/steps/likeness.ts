/** Describes a picture for searches by copies: its perceptual hash, and its keypoints. */
import {
  ASKED_KEYPOINTS_MAX,
  ASKED_SIDE,
  type AskedKeypoints,
  packAskedKeypoints,
  packKeypoints,
  STORED_SIDE,
} from '../../domain/media/keypoints.ts';
import type { AskedPicture, DescribedPicture } from '../../domain/media/perceptual-hash.ts';
import { findAskedKeypoints as findAsked, findKeypoints } from '../keypoints/find-keypoints.ts';
import type { Picture } from '../media/picture.ts';
import { hashPicture } from './perceptual-hash.ts';

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
export async function describeAsked(picture: Picture): Promise<AskedPicture | null> {
  const hash = hashPicture(picture);
  if (hash === null) return null;
  const [asItIs, mirrored] = await findAskedKeypoints(picture);
  const [keypoints, mirroredKeypoints] = [asItIs, mirrored].map((asked) =>
    toBase64(packAskedKeypoints(asked)),
  ) as [string, string];
  return { ...hash, keypoints, mirroredKeypoints };
}

const toBase64 = (packed: Uint8Array): string => Buffer.from(packed).toString('base64');

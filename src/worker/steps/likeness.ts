/** By what copies of a picture are found: its perceptual hash, and its keypoints. */
import {
  ASKED_KEYPOINTS_MAX,
  ASKED_SIDE,
  type Keypoints,
  packKeypoints,
  STORED_SIDE,
} from '../../domain/media/keypoints.ts';
import type { AskedPicture, PerceptualHash } from '../../domain/media/perceptual-hash.ts';
import { findKeypoints } from '../keypoints/find-keypoints.ts';
import type { Picture } from '../media/picture.ts';
import { hashPicture } from './perceptual-hash.ts';

/** Null where the picture is too small. */
export async function describeLikeness(picture: Picture, countMax: number): Promise<PerceptualHash | null> {
  const hash = hashPicture(picture);
  if (hash === null) return null;
  const keypoints = await findKeypoints(picture, { side: STORED_SIDE, countMax });
  return keypoints.count === 0 ? hash : { ...hash, keypoints: pack(keypoints) };
}

/** Keypoints of a picture that is searched with, in more detail: as it is, and mirrored. */
export async function findAskedKeypoints(picture: Picture): Promise<[Keypoints, Keypoints]> {
  const wanted = { side: ASKED_SIDE, countMax: ASKED_KEYPOINTS_MAX };
  return [await findKeypoints(picture, wanted), await findKeypoints(picture, wanted, true)];
}

/** What a picture is searched by. Null where it is too small. */
export async function describeAsked(picture: Picture): Promise<AskedPicture | null> {
  const hash = hashPicture(picture);
  if (hash === null) return null;
  const [asItIs, mirrored] = await findAskedKeypoints(picture);
  return { ...hash, keypoints: pack(asItIs), mirroredKeypoints: pack(mirrored) };
}

function pack(keypoints: Keypoints): string {
  return Buffer.from(packKeypoints(keypoints)).toString('base64');
}

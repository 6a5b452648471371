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

/** In more detail, for a picture that is searched with. Null where it is too small. */
export async function describeAsked(picture: Picture): Promise<AskedPicture | null> {
  const hash = hashPicture(picture);
  if (hash === null) return null;
  const wanted = { side: ASKED_SIDE, countMax: ASKED_KEYPOINTS_MAX };
  const keypoints = pack(await findKeypoints(picture, wanted));
  return { ...hash, keypoints, mirroredKeypoints: pack(await findKeypoints(picture, wanted, true)) };
}

function pack(keypoints: Keypoints): string {
  return Buffer.from(packKeypoints(keypoints)).toString('base64');
}

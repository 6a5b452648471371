/** The most suspicious frames decide of a video, so that what holds of a picture accuses more videos: a pack may bound frames apart. */
import type { ImagePack } from '../packs/model-pack.ts';

/** The pack with the bounds that hold for the frames of a video. */
export function boundedForFrames(pack: ImagePack): ImagePack {
  const { frames, ...decision } = pack.decision;
  return frames === undefined ? pack : { ...pack, decision: { ...decision, ...frames } };
}

/** A word or two say less than a minute does: if little speech was found, a pack's bounds are others. */
import type { SpeechPack } from '../packs/model-pack.ts';

/** The pack with the bounds that hold for so much speech. */
export function boundedBySpeech(pack: SpeechPack, speechSeconds: number): SpeechPack {
  const { short, together, weight } = pack.decision;
  if (short === undefined || speechSeconds >= short.belowSpeechSeconds) return pack;
  const { cautiousThreshold, inconclusiveLow, inconclusiveHigh } = short;
  return {
    ...pack,
    decision: {
      cautiousThreshold,
      inconclusiveLow,
      inconclusiveHigh,
      weight,
      ...(together === undefined || short.together === undefined
        ? {}
        : { together: { packs: together.packs, ...short.together } }),
    },
  };
}

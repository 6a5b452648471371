/** A word or two say less than a minute does, and a telephone's band other things than a studio's: a pack may have bounds for each. */
import type { SpeechPack } from '../packs/model-pack.ts';

export interface MeasuredSpeech {
  seconds: number;
  /** That of the sound that it was found in; null if that was not measured. */
  upperBandDb: number | null;
}

/** Which bounds of a pack apply instead of its usual ones. */
export const SPEECH_BOUNDS = ['short-speech', 'narrow-band'] as const;
export type SpeechBounds = (typeof SPEECH_BOUNDS)[number];

export type BoundedSpeechPack = SpeechPack & { boundsFor?: SpeechBounds };

/** The pack with the bounds that hold for such speech. Speech that is both short and narrow gets the bounds for short speech: they are wider. */
export function boundedBySpeech(pack: SpeechPack, speech: MeasuredSpeech): BoundedSpeechPack {
  const { short, narrow } = pack.decision;
  if (short !== undefined && speech.seconds < short.belowSpeechSeconds) {
    return withBounds(pack, short, 'short-speech');
  }
  const { upperBandDb } = speech;
  const isNarrow = narrow !== undefined && upperBandDb !== null && upperBandDb < narrow.belowUpperBandDb;
  return isNarrow ? withBounds(pack, narrow, 'narrow-band') : pack;
}

type OtherBounds = NonNullable<SpeechPack['decision']['short'] | SpeechPack['decision']['narrow']>;

function withBounds(pack: SpeechPack, other: OtherBounds, boundsFor: SpeechBounds): BoundedSpeechPack {
  const { together, weight } = pack.decision;
  const { cautiousThreshold, inconclusiveLow, inconclusiveHigh } = other;
  return {
    ...pack,
    boundsFor,
    decision: {
      cautiousThreshold,
      inconclusiveLow,
      inconclusiveHigh,
      weight,
      ...(together === undefined || other.together === undefined
        ? {}
        : { together: { packs: together.packs, ...other.together } }),
    },
  };
}

/** Other bounds: short speech proves less, a telephone's band differs, and drawings score otherwise than photographs. */
import type { MediumChances } from '../media/medium.ts';
import type { ImagePack, JudgingPack, SpeechPack } from '../packs/model-pack.ts';

export interface MeasuredSpeech {
  seconds: number;
  /** The upper band of the sound that the speech is from; null if it was not measured. */
  upperBandDb: number | null;
  /** The codec that the sound was stored in, by its name in libav. */
  codec: string | null;
}

type Bounds = Pick<JudgingPack['decision'], 'cautiousThreshold' | 'inconclusiveLow' | 'inconclusiveHigh'>;

/** Names of the bounds that may apply instead of a pack's usual ones. */
export const BOUNDS_FOR = ['speech-codec', 'short-speech', 'narrow-band', 'no-photograph'] as const;
type BoundsFor = (typeof BOUNDS_FOR)[number];

export type Bounded<Pack extends JudgingPack> = Pack & { boundsFor?: BoundsFor };

/** Bounds for codecs come first, since such sound is narrow too; those for short speech are wider than for narrow. */
export function boundedBySpeech(pack: SpeechPack, speech: MeasuredSpeech): Bounded<SpeechPack> {
  const { coded, short, narrow } = pack.decision;
  if (coded !== undefined && speech.codec !== null && coded.codecs.includes(speech.codec)) {
    return { ...pack, ...otherBounds(pack, coded, 'speech-codec') };
  }
  if (short !== undefined && speech.seconds < short.belowSpeechSeconds) {
    return { ...pack, ...otherBounds(pack, short, 'short-speech') };
  }
  const { upperBandDb } = speech;
  const isNarrow = narrow !== undefined && upperBandDb !== null && upperBandDb < narrow.belowUpperBandDb;
  return isNarrow ? { ...pack, ...otherBounds(pack, narrow, 'narrow-band') } : pack;
}

/** The pack with the bounds for such a picture; `media` is undefined if the pack has no media. */
export function boundedByMedium(pack: ImagePack, media: MediumChances | undefined): Bounded<ImagePack> {
  const { noPhotograph } = pack.decision;
  if (noPhotograph === undefined || media === undefined) return pack;
  const isPhotograph = (media.photograph ?? 0) >= noPhotograph.photographBelow;
  return isPhotograph ? pack : { ...pack, ...otherBounds(pack, noPhotograph, 'no-photograph') };
}

function otherBounds(
  { decision: { together, weight } }: Pick<JudgingPack, 'decision'>,
  other: Bounds & { together?: Bounds | undefined },
  boundsFor: BoundsFor,
) {
  const { cautiousThreshold, inconclusiveLow, inconclusiveHigh } = other;
  return {
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

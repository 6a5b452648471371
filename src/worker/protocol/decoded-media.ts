/** A decode child's results: figures, and files in `out/`. It has read hostile bytes, so these shapes judge its words. */
import { z } from 'zod';
import { FRAMES_JUDGED_MAX } from '../../domain/media/animation.ts';
import { MEDIA_KINDS } from '../../domain/media/media.ts';
import {
  askedPictureSchema,
  describedPictureSchema,
  perceptualHashSchema,
} from '../../domain/media/perceptual-hash.ts';
import { renditionFigures } from '../../domain/media/rendition-figures.ts';
import { provenanceSchema } from '../../domain/provenance/provenance.ts';
import { markSearchSchema } from '../../domain/verdicts/marks.ts';
import { hash, outFile, seconds, side, sizeBytes } from '../../domain/verdicts/result.ts';

const videoDecoder = z.enum(['cpu', 'nvdec']);
export type VideoDecoder = z.infer<typeof videoDecoder>;

const mime = z.string().max(100);
/** Null if the picture is too small for one. */
const likeness = perceptualHashSchema.nullable();

export const probe = z.strictObject({
  kind: z.enum(MEDIA_KINDS),
  mime,
  /** After orientation; null for audio. */
  width: side.nullable(),
  height: side.nullable(),
  pages: z.int().min(1),
  durationSeconds: z.number().min(0).nullable(),
  /** Whether a video has a track, so that it can be judged as a recording too. */
  hasSound: z.boolean(),
});
export type Probe = z.infer<typeof probe>;

export const readMarks = z.strictObject({
  kind: z.enum(MEDIA_KINDS),
  mime,
  provenance: provenanceSchema,
  marks: markSearchSchema,
});
export type ReadMarks = z.infer<typeof readMarks>;

/** Patches in one file: `positions.length` × size × size × RGB bytes, row by row, no header. */
export const patchSet = z.strictObject({
  name: z.string().max(64),
  file: outFile,
  size: z.int().min(1).max(1024),
  positions: z
    .array(z.strictObject({ x: z.int().min(0), y: z.int().min(0) }))
    .min(1)
    .max(65_536),
  /** Sides of the picture that the positions refer to (smaller for a scaled copy). */
  width: side,
  height: side,
  /** Only for requested sets of scaled views: some models must not answer on some textures. */
  texture: z
    .strictObject({
      lumaVariance: z.number().min(0),
      neighbourCorrelation: z.number().min(-1).max(1),
      equalShare: z.number().min(0).max(1),
    })
    .optional(),
  /** If requested: the sharpest shifts between similar parts. */
  repeats: z
    .array(
      z.strictObject({
        dx: z.int().min(-100_000).max(100_000),
        dy: z.int().min(0).max(100_000),
        votes: z.int().min(0).max(1e8),
        crowd: z.int().min(0).max(1e8),
        sharpness: z.number().min(-1e9).max(1e9),
      }),
    )
    .max(5)
    .optional(),
});
export type PatchSet = z.infer<typeof patchSet>;

/** A picture's data for the models. A set is left out if its picture is smaller than a patch. */
export const patchedPicture = z.strictObject({
  width: side,
  height: side,
  patchSets: z.array(patchSet).max(256),
});
export type PatchedPicture = z.infer<typeof patchedPicture>;

/** A frame of an animation behind its first, by its number from 1. The files of its patches: `page-<number>-<name>.rgb`. */
const animationFrame = patchedPicture.extend({ number: z.int().min(2), file: outFile });
export type AnimationFrame = z.infer<typeof animationFrame>;

export const decodedImage = patchedPicture.extend({
  mime,
  pages: z.int().min(1),
  quality: z.strictObject({
    shortSide: side,
    jpegQuality: z.int().min(1).max(100).nullable(),
    truncated: z.boolean(),
  }),
  provenance: provenanceSchema,
  marks: markSearchSchema,
  likeness,
  /** Spread over an animation, ascending; undecodable ones are left out. */
  frames: z.array(animationFrame).max(FRAMES_JUDGED_MAX - 1),
});
export type DecodedImage = z.infer<typeof decodedImage>;

export const sampledFrames = z.strictObject({
  /** The moments of the plain choice, ascending. */
  regularSeconds: z.array(seconds).max(1000),
  /** Patches of each scaled frame. */
  samples: z.array(z.strictObject({ timeSeconds: seconds, set: patchSet })).max(1000),
});
export type SampledFrames = z.infer<typeof sampledFrames>;
export type SampledFrame = SampledFrames['samples'][number];

/** One chosen frame: oriented as it is shown, in SDR, square pixels. The files of its patches: `<index>-<name>.rgb`. */
export const decodedFrame = patchedPicture.extend({
  /** The number of its moving picture, from 1; absent for the one that players show first. */
  picture: z.int().min(2).max(64).optional(),
  /** Presentation time from the video's beginning. */
  timeSeconds: seconds,
  /** A PNG in `out/`, with its SHA-256. */
  file: outFile,
  hash,
  sizeBytes,
  likeness,
});
export type DecodedFrame = z.infer<typeof decodedFrame>;

/** Samples as 32-bit floats, one channel, little-endian, no header, 16 kHz. */
const soundFile = z.strictObject({
  /** `mix`, or `channel-1` … if the channels have different speakers, `track-1` … if there are several (channel-name.ts). */
  name: z.string().max(64),
  file: outFile,
  sampleCount: z.int().min(0),
  /** Mean power in decibels of full scale; null for silence. */
  meanDb: z.number().min(-1000).max(20).nullable(),
  /** Power of a tone above a telephone's band against one inside it, in decibels; null for silence. */
  upperBandDb: z.number().min(-200).max(200).nullable(),
  /** The codec that the track is stored in, by its name in libav. */
  codec: z.string().max(64),
});
export type SoundFile = z.infer<typeof soundFile>;

const decodedSound = z.strictObject({
  durationSeconds: seconds,
  /** Sample rate of the original, Hz. */
  sampleRate: z.int().min(1).max(10_000_000),
  channelCount: z.int().min(1).max(1024),
  /** The track that players play first, then the others. */
  sounds: z.array(soundFile).min(1).max(24),
  /** Further tracks that could not be decoded, or lie beyond the bounds. */
  tracksLeftOut: z.int().min(0).max(64),
});
export type DecodedSound = z.infer<typeof decodedSound>;

/** The track as FLAC in `out/`, with its SHA-256. */
const decodedTrack = z.strictObject({ file: outFile, hash, sizeBytes, sound: decodedSound });
export type DecodedTrack = z.infer<typeof decodedTrack>;

export const decodedVideo = z.strictObject({
  mime,
  /** As it is shown. */
  width: side,
  height: side,
  durationSeconds: seconds,
  provenance: provenanceSchema,
  marks: markSearchSchema,
  decoder: videoDecoder,
  /** Chosen frames that could not be decoded. */
  damagedFrames: z.int().min(0).max(1000),
  /** Further moving pictures without a chosen frame. */
  picturesLeftOut: z.int().min(0).max(64),
  /** Null if none was asked for or the video is silent. */
  track: decodedTrack.nullable(),
});
export type DecodedVideo = z.infer<typeof decodedVideo>;

export const decodedAudio = z.strictObject({
  mime,
  provenance: provenanceSchema,
  marks: markSearchSchema,
  sound: decodedSound,
  /** Whether the file's data ended early or was damaged in part. */
  damaged: z.boolean(),
});
export type DecodedAudio = z.infer<typeof decodedAudio>;

export const renderedHeatmap = z.strictObject({ width: side, height: side });
export type RenderedHeatmap = z.infer<typeof renderedHeatmap>;

const rendered = z.strictObject({ figures: renditionFigures });

/** The answer to each type of request. */
export const DECODE_ANSWERS = {
  probe: z.strictObject({ probe }),
  'read-marks': z.strictObject({ read: readMarks }),
  'describe-picture': z.strictObject({ asked: askedPictureSchema.nullable() }),
  'describe-kept': z.strictObject({ picture: describedPictureSchema.nullable() }),
  'read-provenance': z.strictObject({ provenance: provenanceSchema }),
  'decode-image': z.strictObject({ image: decodedImage }),
  'decode-video': z.strictObject({ video: decodedVideo }),
  'decode-audio': z.strictObject({ audio: decodedAudio }),
  'sample-frames': z.strictObject({ sampled: sampledFrames }),
  /** Why there is no GPU; null if there is one. */
  'find-gpu': z.strictObject({ fault: z.string().max(2000).nullable() }),
  'render-heatmap': z.strictObject({ heatmap: renderedHeatmap }),
  'cut-views': z.strictObject({ set: patchSet }),
  'copy-patches': z.strictObject({ sets: z.array(patchSet).max(256) }),
  render: rendered,
  'draw-sheet': rendered,
};
export type Answered = keyof typeof DECODE_ANSWERS;
export type DecodeAnswer<Type extends Answered> = z.infer<(typeof DECODE_ANSWERS)[Type]>;

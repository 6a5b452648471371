/**
 * Parses a decode child's messages. The child has read hostile bytes, so a wrong shape, a path in a file name or an endless
 * text ends the child, not the daemon.
 */
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
import { PROGRESS_STEPS } from '../../domain/records/progress-steps.ts';
import { markSearchSchema } from '../../domain/verdicts/marks.ts';
import { hash, outFile, seconds, side, sizeBytes } from '../../domain/verdicts/result.ts';
import { type DecodeResponse, MEDIA_FAULTS } from '../../worker/protocol/decode-protocol.ts';
import { VIDEO_DECODERS } from '../../worker/protocol/decoded-media.ts';

const id = z.int();
const sentence = z.string().max(2000);

const position = z.strictObject({ x: z.int().min(0), y: z.int().min(0) });

const likeness = perceptualHashSchema.nullable();

const patchSet = z.strictObject({
  name: z.string().max(64),
  file: outFile,
  size: z.int().min(1).max(1024),
  positions: z.array(position).min(1).max(65_536),
  width: side,
  height: side,
  texture: z
    .strictObject({
      lumaVariance: z.number().min(0),
      neighbourCorrelation: z.number().min(-1).max(1),
      equalShare: z.number().min(0).max(1),
    })
    .optional(),
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

const patchedPicture = z.strictObject({ width: side, height: side, patchSets: z.array(patchSet).max(256) });

const decodedImage = patchedPicture.extend({
  mime: z.string().max(100),
  pages: z.int().min(1),
  quality: z.strictObject({
    shortSide: side,
    jpegQuality: z.int().min(1).max(100).nullable(),
    truncated: z.boolean(),
  }),
  provenance: provenanceSchema,
  marks: markSearchSchema,
  likeness,
  frames: z
    .array(patchedPicture.extend({ number: z.int().min(2), file: outFile }))
    .max(FRAMES_JUDGED_MAX - 1),
});

const probe = z.strictObject({
  kind: z.enum(MEDIA_KINDS),
  mime: z.string().max(100),
  width: side.nullable(),
  height: side.nullable(),
  pages: z.int().min(1),
  durationSeconds: z.number().min(0).nullable(),
  hasSound: z.boolean(),
});

const readMarks = z.strictObject({
  kind: z.enum(MEDIA_KINDS),
  mime: z.string().max(100),
  provenance: provenanceSchema,
  marks: markSearchSchema,
});

const soundFile = z.strictObject({
  name: z.string().max(64),
  file: outFile,
  sampleCount: z.int().min(0),
  meanDb: z.number().min(-1000).max(20).nullable(),
  upperBandDb: z.number().min(-200).max(200).nullable(),
});

const decodedSound = z.strictObject({
  durationSeconds: seconds,
  sampleRate: z.int().min(1).max(10_000_000),
  channelCount: z.int().min(1).max(1024),
  sounds: z.array(soundFile).min(1).max(24),
  tracksLeftOut: z.int().min(0).max(64),
});

const decodedFrame = z.strictObject({
  picture: z.int().min(2).max(64).optional(),
  timeSeconds: seconds,
  file: outFile,
  hash,
  sizeBytes,
  width: side,
  height: side,
  likeness,
  patchSets: z.array(patchSet).max(256),
});

const decodedVideo = z.strictObject({
  mime: z.string().max(100),
  width: side,
  height: side,
  durationSeconds: seconds,
  provenance: provenanceSchema,
  marks: markSearchSchema,
  decoder: z.enum(VIDEO_DECODERS),
  damagedFrames: z.int().min(0).max(1000),
  picturesLeftOut: z.int().min(0).max(64),
  track: z.strictObject({ file: outFile, hash, sizeBytes, sound: decodedSound }).nullable(),
});

const sampledFrames = z.strictObject({
  regularSeconds: z.array(seconds).max(1000),
  samples: z.array(z.strictObject({ timeSeconds: seconds, set: patchSet })).max(1000),
});

const decodedAudio = z.strictObject({
  mime: z.string().max(100),
  provenance: provenanceSchema,
  marks: markSearchSchema,
  sound: decodedSound,
  damaged: z.boolean(),
});

const heatmap = z.strictObject({ width: side, height: side });

const count = z.int().min(0);

const response = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('ready') }),
  z.strictObject({
    type: z.literal('progress'),
    id,
    step: z.enum(PROGRESS_STEPS),
    done: count,
    total: count,
  }),
  z.strictObject({ type: z.literal('probed'), id, probe }),
  z.strictObject({ type: z.literal('read-marks'), id, read: readMarks }),
  z.strictObject({ type: z.literal('described-picture'), id, asked: askedPictureSchema.nullable() }),
  z.strictObject({ type: z.literal('described-kept'), id, picture: describedPictureSchema.nullable() }),
  z.strictObject({ type: z.literal('read-provenance'), id, provenance: provenanceSchema }),
  z.strictObject({ type: z.literal('decoded-image'), id, image: decodedImage }),
  z.strictObject({ type: z.literal('patched'), id, picture: patchedPicture }),
  z.strictObject({ type: z.literal('frame'), id, frame: decodedFrame }),
  z.strictObject({ type: z.literal('decoded-video'), id, video: decodedVideo }),
  z.strictObject({ type: z.literal('found-gpu'), id, fault: sentence.nullable() }),
  z.strictObject({ type: z.literal('sampled-frames'), id, sampled: sampledFrames }),
  z.strictObject({ type: z.literal('decoded-audio'), id, audio: decodedAudio }),
  z.strictObject({ type: z.literal('rendered-heatmap'), id, heatmap }),
  z.strictObject({ type: z.literal('cut-views'), id, set: patchSet }),
  z.strictObject({ type: z.literal('copied-patches'), id, sets: z.array(patchSet).max(256) }),
  z.strictObject({ type: z.literal('rendered'), id, figures: renditionFigures }),
  z.strictObject({ type: z.literal('failed'), id, fault: z.enum(MEDIA_FAULTS), message: sentence }),
  z.strictObject({ type: z.literal('broken'), id, message: sentence }),
]) satisfies z.ZodType<DecodeResponse>;

/** Null for a message out of turn or shape. */
export function parseDecodeResponse(value: unknown): DecodeResponse | null {
  return response.safeParse(value).data ?? null;
}

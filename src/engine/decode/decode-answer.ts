/** Parses a decode child's messages: it has read hostile bytes, so a wrong shape or path ends it. */
import { z } from 'zod';
import { askedPictureSchema, describedPictureSchema } from '../../domain/media/perceptual-hash.ts';
import { renditionFigures } from '../../domain/media/rendition-figures.ts';
import { provenanceSchema } from '../../domain/provenance/provenance.ts';
import { PROGRESS_STEPS } from '../../domain/records/progress-steps.ts';
import { type DecodeResponse, MEDIA_FAULTS } from '../../worker/protocol/decode-protocol.ts';
import {
  decodedAudio,
  decodedFrame,
  decodedImage,
  decodedVideo,
  patchedPicture,
  patchSet,
  probe,
  readMarks,
  renderedHeatmap,
  sampledFrames,
} from '../../worker/protocol/decoded-media.ts';

const id = z.int();
const sentence = z.string().max(2000);

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
  z.strictObject({ type: z.literal('rendered-heatmap'), id, heatmap: renderedHeatmap }),
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

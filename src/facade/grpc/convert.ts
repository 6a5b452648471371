/** The record as a message: what it does not take from the value of the same name. */
import { create } from '@bufbuild/protobuf';
import type { ClipRecord, ModelResult } from '../../domain/contract/record-parts.ts';
import { outcomeOf } from '../../domain/records/outcome.ts';
import type { ClassificationRecord, VideoRecord } from '../../domain/records/record.ts';
import type { SeenBefore } from '../../domain/records/seen-before.ts';
import type { TentativeClip } from '../../domain/verdicts/tentative.ts';
import { type Classification, ClassificationSchema } from '../../grpc/gen/assay/v1/classification_pb.ts';
import { toMessage } from '../../grpc/messages.ts';

/** Seconds are in the documented names of these. */
const CLIP = {
  start: ({ startSeconds }: ClipRecord | TentativeClip) => startSeconds,
  end: ({ endSeconds }: ClipRecord | TentativeClip) => endSeconds,
};

export const RECORD_EXCEPTIONS = {
  'assay.v1.Classification': {
    outcome: outcomeOf,
    seenBefore: ({ seenBefore }: { seenBefore?: SeenBefore[] }) => seenBefore,
    rulesVersion: ({ rules }: ClassificationRecord) => rules?.made,
    readByRulesVersion: ({ rules }: ClassificationRecord) => rules?.read,
    media: (record: ClassificationRecord) => ({ case: record.kind, value: record }),
  },
  'assay.v1.VideoDetail': {
    // The container's report stands in the video: thirty copies of it would not fit into a message.
    images: ({ images }: VideoRecord) => images.map((image) => ({ ...image, c2pa: null })),
    audios: ({ audios }: VideoRecord) => audios.map((audio) => ({ ...audio, c2pa: null })),
  },
  'assay.v1.ModelResult': { elapsedTime: ({ elapsedSeconds }: ModelResult) => elapsedSeconds },
  'assay.v1.Clip': CLIP,
  'assay.v1.TentativeClip': CLIP,
};

export function toClassification(
  record: ClassificationRecord & { seenBefore?: SeenBefore[] },
): Classification {
  return create(ClassificationSchema, toMessage(ClassificationSchema, record, RECORD_EXCEPTIONS));
}

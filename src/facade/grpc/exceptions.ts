/** Fields that a message does not take from the value of the same name, by the full name of the message. */
import type { FileMarks } from '../../app/submissions/read-marks.ts';
import type { Plan } from '../../domain/accounts/plan.ts';
import type { ClassificationRecord, MediaValidation, VideoRecord } from '../../domain/answers/record.ts';
import type { BackupStatus } from '../../domain/contract/backups.ts';
import type { DeliveryAttempt } from '../../domain/contract/delivery.ts';
import type { ClipRecord, ModelResult } from '../../domain/contract/record-parts.ts';
import { MEDIA_KINDS } from '../../domain/media/media.ts';
import type { SeenBefore } from '../../domain/records/seen-before.ts';
import type { TentativeClip } from '../../domain/verdicts/tentative.ts';

/** The documented names of these fields end in seconds. */
const CLIP = {
  start: ({ startSeconds }: ClipRecord | TentativeClip) => startSeconds,
  end: ({ endSeconds }: ClipRecord | TentativeClip) => endSeconds,
};

export const EXCEPTIONS = {
  'assay.v1.Classification': {
    seenBefore: ({ seenBefore }: { seenBefore?: SeenBefore[] }) => seenBefore,
    seenAgain: ({ seenAgain }: { seenAgain?: SeenBefore[] }) => seenAgain,
    rulesVersion: ({ rules }: ClassificationRecord) => rules?.made,
    readByRulesVersion: ({ rules }: ClassificationRecord) => rules?.read,
    media: (record: ClassificationRecord) => ({ case: record.kind, value: record }),
  },
  'assay.v1.VideoDetail': {
    // The container's report is part of the video: thirty copies of it would not fit into a message.
    images: ({ images }: VideoRecord) => images.map((image) => ({ ...image, c2pa: null })),
    audios: ({ audios }: VideoRecord) => audios.map((audio) => ({ ...audio, c2pa: null })),
  },
  'assay.v1.ModelResult': { elapsedTime: ({ elapsedSeconds }: ModelResult) => elapsedSeconds },
  'assay.v1.Clip': CLIP,
  'assay.v1.TentativeClip': CLIP,
  'assay.v1.ValidateMediaResponse': {
    filesize: ({ sizeBytes }: MediaValidation) => sizeBytes,
    mimetype: ({ mime }: MediaValidation) => mime,
  },
  'assay.v1.ReadMarksResponse': { mimetype: ({ mime }: FileMarks) => mime },
  'assay.v1.Plan': {
    kinds: ({ kinds, credits, fileBytesMax }: Plan) =>
      MEDIA_KINDS.filter((kind) => kinds.includes(kind)).map((kind) => ({
        kind,
        credits: credits[kind],
        fileBytesMax: fileBytesMax[kind],
      })),
    models: ({ models }: Plan) => (models === 'all' ? undefined : models),
    allModels: ({ models }: Plan) => models === 'all',
  },
  'assay.v1.DeliveryAttempt': { elapsedMs: ({ elapsedMs }: DeliveryAttempt) => Math.round(elapsedMs) },
  'assay.v1.BackupState': {
    tooOld: ({ isTooOld }: BackupStatus) => isTooOld,
    running: ({ isRunning }: BackupStatus) => isRunning,
  },
};

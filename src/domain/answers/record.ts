/** The record that every facade serves, as its table describes it, and the outcomes of validation and override. */
import type { AUDIO, FINDINGS, IMAGE, RECORD, VIDEO } from '../contract/record.ts';
import { flag, listOf, long, nullable, text, type ValuesOf, whole } from '../field.ts';
import type { Label, MediaKind } from '../media/media.ts';
import type { VideoVerdict } from '../verdicts/video-verdict.ts';

export interface RecordBase extends Omit<ValuesOf<typeof RECORD>, 'kind'> {}

export interface ImageRecord extends RecordBase, ValuesOf<typeof FINDINGS>, ValuesOf<typeof IMAGE> {
  kind: 'image';
}

export interface AudioRecord extends RecordBase, ValuesOf<typeof FINDINGS>, ValuesOf<typeof AUDIO> {
  kind: 'audio';
}

export interface VideoRecord extends RecordBase, ValuesOf<typeof FINDINGS>, ValuesOf<typeof VIDEO> {
  kind: 'video';
  verdict: VideoVerdict | null;
  verdicts: VideoVerdict[];
  images: ImageRecord[];
  audios: AudioRecord[];
}

export type ClassificationRecord = ImageRecord | VideoRecord | AudioRecord;

/** The outcome of a validation (docs/interface.md, Media validation result). */
export const MEDIA_VALIDATION = {
  name: 'MediaValidation',
  fields: {
    valid: flag(),
    sizeBytes: long({ documented: 'filesize', description: 'In bytes.' }),
    mime: text({ documented: 'mimetype' }),
    width: nullable(whole()),
    height: nullable(whole()),
    models: listOf(text('The models that would run.')),
  },
};
export type MediaValidation = ValuesOf<typeof MEDIA_VALIDATION.fields>;

export interface OverrideResult {
  classification: Label;
  type: MediaKind;
  hash: string;
}

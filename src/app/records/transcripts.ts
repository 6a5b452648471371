/** The whole transcript of a record in the requested form; only its own account can fetch it. */
import { createHash } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import type { Transcript } from '../../domain/transcripts/transcript.ts';
import {
  formatTranscript,
  TRANSCRIPT_FILES,
  type TranscriptFormat,
} from '../../domain/transcripts/transcript-formats.ts';
import { transcriptOf } from '../../domain/verdicts/transcripts-of.ts';
import { type RecordInput, readableClassification, readablePart } from './classifications.ts';
import type { MediaFile } from './media-files.ts';
import type { RecordParts } from './parts.ts';

export interface TranscriptInput extends Pick<RecordInput, 'principal' | 'identifier'> {
  format: TranscriptFormat;
}

/** The record may be a recording, a video or its track. Throws `classification` for a foreign record, `media` if there is none. */
export function getTranscript(app: RecordParts, input: TranscriptInput): MediaFile & { bytes: Buffer } {
  const transcript = findTranscript(app, input);
  if (input.principal.key === undefined) app.accessLog.note('looked_at', input);
  const { name, mime } = TRANSCRIPT_FILES[input.format];
  const bytes = Buffer.from(formatTranscript(transcript, input.format));
  const tag = createHash('sha256').update(bytes).digest('hex');
  return { bytes, mime, sizeBytes: bytes.length, name, tag };
}

function findTranscript(app: RecordParts, input: TranscriptInput): Transcript {
  const { analysisId } = readablePart(app, input)?.whole ?? readableClassification(app, input);
  const transcript = transcriptOf(app.store.read.analyses.get(analysisId)?.result ?? null);
  if (transcript !== undefined) return transcript;
  throw new AppError(
    'media',
    'there is no transcript of this record: it was not asked for, or is not there yet',
  );
}

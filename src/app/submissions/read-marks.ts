/** Reads the marks of a sent file; nothing is stored, analysed or charged. */
import { tooLarge } from '../../domain/errors.ts';
import type { MediaKind } from '../../domain/media/media.ts';
import { type ProvenanceRecord, toProvenanceRecord } from '../../domain/provenance/provenance-record.ts';
import { type FileFacts, fileFactsOf } from '../../domain/provenance/shown-facts.ts';
import { type Mark, marksOf } from '../../domain/verdicts/marks.ts';
import { assertKindEnabled } from '../callers/admission.ts';
import type { Principal } from '../callers/principal.ts';
import type { SubmissionParts } from './parts.ts';
import type { ReceivedMedia } from './uploads.ts';

export interface ReadMarksInput {
  principal: Principal;
  /** Faults of the file are reported under this field. */
  field: string;
  media: ReceivedMedia;
}

export interface FileMarks {
  kind: MediaKind;
  mime: string;
  marks: Mark[];
  provenance: ProvenanceRecord | null;
  fileFacts: FileFacts | null;
}

export async function readMarks(
  app: Pick<SubmissionParts, 'looks'>,
  { principal, field, media }: ReadMarksInput,
  signal: AbortSignal,
): Promise<FileMarks> {
  const { kind, mime, provenance, marks } = await app.looks.readMarks(media, signal, principal.account.id);
  assertKindEnabled(principal, kind);
  const bytesMax = principal.plan.fileBytesMax[kind];
  if (media.sizeBytes > bytesMax) throw tooLarge(field, media.sizeBytes, bytesMax);
  return {
    kind,
    mime,
    marks: marksOf({ kind, provenance, marks }) ?? [],
    provenance: toProvenanceRecord(provenance),
    fileFacts: fileFactsOf(provenance),
  };
}

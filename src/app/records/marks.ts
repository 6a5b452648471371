import { AppError } from '../../domain/errors.ts';
import {
  type AnswerFate,
  type ComparedFile,
  compareAnswers,
} from '../../domain/verdicts/answers-compared.ts';
import type { Mark } from '../../domain/verdicts/marks.ts';
import { compareMarks, type MarkChange } from '../../domain/verdicts/marks-compared.ts';
import type { Principal } from '../callers/principal.ts';
import { getClassification } from './classifications.ts';
import type { RecordParts } from './parts.ts';

interface ComparedRecords {
  principal: Principal;
  identifier: string;
  originalIdentifier: string;
}

/** What `read` finds of the record's original, and of the record. */
function readBoth<T>(
  app: RecordParts,
  { principal, identifier, originalIdentifier }: ComparedRecords,
  read: (app: RecordParts, input: { principal: Principal; identifier: string }) => T,
): [original: T, own: T] {
  const own = read(app, { principal, identifier });
  return [read(app, { principal, identifier: originalIdentifier }), own];
}

/** Compares the four answers about a manifest of a record's file with another's. */
export function compareRecordAnswers(app: RecordParts, compared: ComparedRecords): AnswerFate[] {
  return compareAnswers(...readBoth(app, compared, comparedFile));
}

function comparedFile(app: RecordParts, input: { principal: Principal; identifier: string }): ComparedFile {
  const { provenance } = getClassification(app, input);
  if (provenance === null) throw notRead(`the manifests of ${input.identifier} were not read`);
  const { readings, fault, remoteManifestUrl, isFormatUnreadable } = provenance;
  return { readings, mayHoldOne: fault !== null || remoteManifestUrl !== null || isFormatUnreadable };
}

const notRead = (what: string): AppError => new AppError('not_ended', `${what}: submit the file again`);

export function compareRecords(app: RecordParts, compared: ComparedRecords): MarkChange[] {
  return compareMarks(...readBoth(app, compared, foundMarks));
}

function foundMarks(app: RecordParts, input: { principal: Principal; identifier: string }): Mark[] {
  const { marks } = getClassification(app, input);
  if (marks !== null) return marks;
  throw notRead(`the marks of ${input.identifier} were not looked for`);
}

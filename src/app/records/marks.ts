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

/** Compares the four answers about a manifest of a record's file with another's. */
export function compareRecordAnswers(
  app: RecordParts,
  {
    principal,
    identifier,
    originalIdentifier,
  }: { principal: Principal; identifier: string; originalIdentifier: string },
): AnswerFate[] {
  const after = comparedFile(app, { principal, identifier });
  return compareAnswers(comparedFile(app, { principal, identifier: originalIdentifier }), after);
}

function comparedFile(app: RecordParts, input: { principal: Principal; identifier: string }): ComparedFile {
  const { provenance } = getClassification(app, input);
  if (provenance === null) throw notRead(`the manifests of ${input.identifier} were not read`);
  const { readings, fault, remoteManifestUrl, isFormatUnreadable } = provenance;
  return { readings, mayHoldOne: fault !== null || remoteManifestUrl !== null || isFormatUnreadable };
}

const notRead = (what: string): AppError => new AppError('not_ended', `${what}: submit the file again`);

export function compareRecords(
  app: RecordParts,
  {
    principal,
    identifier,
    originalIdentifier,
  }: { principal: Principal; identifier: string; originalIdentifier: string },
): MarkChange[] {
  const after = foundMarks(app, { principal, identifier });
  return compareMarks(foundMarks(app, { principal, identifier: originalIdentifier }), after);
}

function foundMarks(app: RecordParts, input: { principal: Principal; identifier: string }): Mark[] {
  const { marks } = getClassification(app, input);
  if (marks !== null) return marks;
  throw notRead(`the marks of ${input.identifier} were not looked for`);
}

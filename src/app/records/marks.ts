/** What became of the marks of one record's file in another's. */
import { AppError } from '../../domain/errors.ts';
import type { Mark } from '../../domain/verdicts/marks.ts';
import { compareMarks, type MarkChange } from '../../domain/verdicts/marks-compared.ts';
import type { Principal } from '../callers/principal.ts';
import type { Core } from '../core.ts';
import { getClassification } from './classifications.ts';

export function compareRecords(
  app: Core,
  {
    principal,
    identifier,
    originalIdentifier,
  }: { principal: Principal; identifier: string; originalIdentifier: string },
): MarkChange[] {
  const after = foundMarks(app, { principal, identifier });
  return compareMarks(foundMarks(app, { principal, identifier: originalIdentifier }), after);
}

function foundMarks(app: Core, input: { principal: Principal; identifier: string }): Mark[] {
  const { marks } = getClassification(app, input);
  if (marks !== null) return marks;
  const message = `the marks of ${input.identifier} were not looked for: submit the file again`;
  throw new AppError('not_ended', message);
}

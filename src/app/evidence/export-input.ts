/** The order of a package: its records, title and language, with bounds for all facades. */
import { AppError, badField } from '../../domain/errors.ts';
import { REPORT_LANGUAGES, type ReportLanguage } from '../../evidence/report/language.ts';
import type { Principal } from '../callers/principal.ts';
import { parseChoice, parseText, type RawFields } from '../field-parsers.ts';

export interface ExportInput {
  principal: Principal;
  /** Identifiers of whole records; a frame goes with its video. */
  identifiers: readonly string[];
  /** `title`, `notes`, `language`. */
  fields: RawFields;
}

export interface ExportOrder {
  principal: Principal;
  identifiers: string[];
  title: string;
  notes: string;
  language: ReportLanguage;
}

/** No one would read a longer report: a larger matter is several cases. */
export const CASE_RECORDS_MAX = 200;
const TITLE_CHARACTERS_MAX = 200;
/** Room for some pages of the editor's notes. */
const NOTES_CHARACTERS_MAX = 10_000;

export function parseExport({ principal, identifiers, fields }: ExportInput): ExportOrder {
  const wanted = [...new Set(identifiers)];
  if (wanted.length === 0) throw badField('identifiers', 'expected one record or more, found none');
  if (wanted.length > CASE_RECORDS_MAX) {
    throw new AppError(
      'list_too_long',
      `identifiers: expected at most ${CASE_RECORDS_MAX} records in a case, found ${wanted.length}`,
    );
  }
  return {
    principal,
    identifiers: wanted,
    title: (parseText(fields, 'title', TITLE_CHARACTERS_MAX) ?? '').replace(/\s+/g, ' ').trim(),
    notes: parseText(fields, 'notes', NOTES_CHARACTERS_MAX) ?? '',
    language: parseChoice(fields, 'language', REPORT_LANGUAGES) ?? 'en',
  };
}

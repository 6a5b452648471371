/**
 * Parsing of every submission field, once for all facades. Values come raw under the names of docs/interface.md; a
 * fault names the field, what was expected and what was found.
 */

import { badField } from '../../domain/errors.ts';
import { rowsOf, toSnakeCase } from '../../domain/field.ts';
import { isHex64 } from '../../domain/identifiers.ts';
import { REF_ID_CHARACTERS_MAX, REQUEST_ID_CHARACTERS_MAX } from '../../domain/limits.ts';
import { LABELS, type Label, type MediaKind } from '../../domain/media/media.ts';
import { ANALYSIS_OPTIONS } from '../../domain/records/analysis-options.ts';
import { PRIORITIES, type Priority } from '../../domain/records/classification.ts';
import { type AnalysisOptions, isOptionOf } from '../../domain/records/options.ts';
import { parseEach } from '../check-each.ts';

export type RawFields = Readonly<Record<string, unknown>>;

/** What a submission says beside its media and where its result is sent. */
export interface Submission {
  options: AnalysisOptions;
  refId: string;
  noCache: boolean;
  priority: Priority;
  requestId: string | null;
}

/**
 * Reads the fields that the kind documents and reports all faults at once; fields it does not document are unknown
 * there and ignored.
 */
export function parseSubmission(kind: MediaKind, fields: RawFields): Submission {
  return parseEach<Submission>({
    options: () => parseOptions(kind, fields),
    refId: () => parseText(fields, 'ref_id', REF_ID_CHARACTERS_MAX) ?? '',
    noCache: () => parseBoolean(fields, 'no_cache'),
    priority: () => parsePriority(fields),
    requestId: () => parseText(fields, 'request_id', REQUEST_ID_CHARACTERS_MAX) ?? null,
  });
}

function parseOptions(kind: MediaKind, fields: RawFields): AnalysisOptions {
  // Flags are judged first: faults are reported in the order in which they are found.
  const rows = rowsOf(ANALYSIS_OPTIONS).toSorted(
    ([, a], [, b]) => Number(b.type === 'flag') - Number(a.type === 'flag'),
  );
  const parsers = rows.map(([name, row]) => [
    name,
    () => (isOptionOf(kind, name) ? parseOption(fields, toSnakeCase(name), row) : row.initial),
  ]);
  const options = parseEach<AnalysisOptions>(Object.fromEntries(parsers));
  if (kind === 'video' && options.withTranscript && !options.withAudio) {
    throw badField('with_transcript', 'of a video it needs with_audio, which was not asked for');
  }
  if (options.transcriptLanguage !== '' && !options.withTranscript) {
    throw badField('transcript_language', 'it needs with_transcript, which was not asked for');
  }
  return options;
}

type OptionRow = (typeof ANALYSIS_OPTIONS)[keyof AnalysisOptions];

function parseOption(fields: RawFields, field: string, { allowed, initial }: OptionRow): unknown {
  if (allowed === undefined) return parseBoolean(fields, field);
  const value = fields[field];
  const isNumber = typeof initial === 'number';
  if (value === undefined || value === null || value === '' || (isNumber && value === 0)) return initial;
  const known = allowed.find((one) => one === (isNumber ? Number(value) : value));
  if (known === undefined)
    throw badField(field, `expected ${LISTED.format(allowed.map(String))}, found ${show(value)}`);
  return known;
}

/** `5, 10 or 30`. */
const LISTED = new Intl.ListFormat('en-GB', { type: 'disjunction' });

function parsePriority({ priority: value }: RawFields): Priority {
  if (value === undefined || value === null || value === '') return 'interactive';
  const priority = PRIORITIES.find((known) => known === value);
  if (priority !== undefined) return priority;
  throw badField('priority', `expected interactive or batch, found ${show(value)}`);
}

/** `true`, `1`, `on` / `false`, `0`, empty (docs/interface.md, Submit); anything else is the caller's fault. */
export function parseBoolean(fields: RawFields, field: string): boolean {
  const value = fields[field];
  if (
    value === undefined ||
    value === null ||
    value === false ||
    value === '' ||
    value === '0' ||
    value === 'false'
  ) {
    return false;
  }
  if (value === true || value === 'true' || value === '1' || value === 'on') return true;
  throw badField(field, `expected true, 1, on, false, 0 or nothing, found ${show(value)}`);
}

/** Text within its bound, or undefined where it is absent or empty. */
export function parseText(fields: RawFields, field: string, charactersMax: number): string | undefined {
  const value = fields[field];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw badField(field, `expected text, found ${show(value)}`);
  if (value.length > charactersMax) {
    throw badField(field, `expected at most ${charactersMax} characters, found ${value.length}`);
  }
  return value;
}

export function parseLabel(value: unknown): Label {
  const label = LABELS.find((allowed) => allowed === value);
  if (label === undefined)
    throw badField('classification', `expected human or artificial, found ${show(value)}`);
  return label;
}

export function parseHash(value: string): string {
  const hash = value.toLowerCase();
  if (!isHex64(hash)) throw badField('hash', `expected 64 hex characters, found ${show(value)}`);
  return hash;
}

/** A value as a fault shows it: quoted and bounded. */
export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

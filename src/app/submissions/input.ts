/** Parses all submission fields, raw, under the names of docs/interface.md; a fault names field, expected and found. */
import { badField } from '../../domain/errors.ts';
import { rowsOf, toSnakeCase } from '../../domain/field.ts';
import { REF_ID_CHARACTERS_MAX, REQUEST_ID_CHARACTERS_MAX } from '../../domain/limits.ts';
import type { MediaKind } from '../../domain/media/media.ts';
import { ANALYSIS_OPTIONS } from '../../domain/records/analysis-options.ts';
import { PRIORITIES, type Priority } from '../../domain/records/classification.ts';
import { type AnalysisOptions, isOptionOf } from '../../domain/records/options.ts';
import { parseEach } from '../check-each.ts';
import { parseBoolean, parseText, parseWhole, type RawFields, show } from '../field-parsers.ts';

export interface Submission {
  options: AnalysisOptions;
  refId: string;
  noCache: boolean;
  priority: Priority;
  requestId: string | null;
  /** The requested desk; 0: none, null: the sender's first. */
  askedDeskId: number | null;
}

/** Reads the kind's documented fields and reports all faults at once; other fields are unknown and ignored. */
export function parseSubmission(kind: MediaKind, fields: RawFields): Submission {
  return parseEach<Submission>({
    options: () => parseOptions(kind, fields),
    refId: () => parseText(fields, 'ref_id', REF_ID_CHARACTERS_MAX) ?? '',
    noCache: () => parseBoolean(fields, 'no_cache'),
    priority: () => parsePriority(fields),
    requestId: () => parseText(fields, 'request_id', REQUEST_ID_CHARACTERS_MAX) ?? null,
    askedDeskId: () => parseWhole(fields, 'desk_id', 0, Number.MAX_SAFE_INTEGER) ?? null,
  });
}

function parseOptions(kind: MediaKind, fields: RawFields): AnalysisOptions {
  // Flags are judged first: faults are reported in this order.
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

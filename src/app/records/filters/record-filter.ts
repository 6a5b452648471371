import { badField } from '../../../domain/errors.ts';
import { REF_ID_CHARACTERS_MAX } from '../../../domain/limits.ts';
import { LABELS, type Label } from '../../../domain/media/media.ts';
import { STATUSES, type Status } from '../../../domain/records/classification.ts';
import { OUTCOMES, type Outcome } from '../../../domain/records/outcome.ts';
import { parseEach } from '../../check-each.ts';
import { parseChoice, parseNullableLine, parseWhole, type RawFields } from '../../field-parsers.ts';

/** Each part narrows the list; absent ones do not. */
export interface RecordFilter {
  status?: Status;
  outcome?: Outcome;
  /** The class of the account's documented verdict. */
  verdict?: Label;
  /** The whole reference. */
  refId?: string;
  /** The beginning of the hash, in lower case. */
  hash?: string;
  /** Matched by domain/records/record-search.ts. */
  search?: string;
  /** A part of the transcript. */
  text?: string;
  /** Microseconds since 1970 UTC: accepted then or later. */
  since?: number;
  /** Microseconds since 1970 UTC: accepted before. */
  until?: number;
  /** Only of this desk; `NO_DESK`: records of no desk. */
  deskId?: number;
  /** Records of other accounts whose finding waits for the caller's sign-off, instead of the caller's own. */
  waitsForMe?: true;
}

export const NO_DESK = 0;

/** Longer texts are not typed, and each record is compared with it. */
const TEXT_CHARACTERS_MAX = 256;

/** Fields: `status`, `outcome`, `verdict`, `ref_id`, `hash`, `search`, `text`, as numbers `since`, `until` and `desk_id`, and `waits_for_me`. */
export function parseRecordFilter(fields: RawFields): RecordFilter {
  const parsed = parseEach<{ [K in keyof Required<RecordFilter>]: RecordFilter[K] | null | undefined }>({
    status: () => parseChoice(fields, 'status', STATUSES),
    outcome: () => parseChoice(fields, 'outcome', OUTCOMES),
    verdict: () => parseChoice(fields, 'verdict', LABELS),
    refId: () => parseNullableLine(fields, 'ref_id', REF_ID_CHARACTERS_MAX),
    hash: () => parseHashPrefix(fields),
    text: () => parseNullableLine(fields, 'text', TEXT_CHARACTERS_MAX),
    search: () => parseNullableLine(fields, 'search', TEXT_CHARACTERS_MAX),
    since: () => parseMoment(fields, 'since'),
    until: () => parseMoment(fields, 'until'),
    deskId: () => parseWhole(fields, 'desk_id', NO_DESK, Number.MAX_SAFE_INTEGER),
    waitsForMe: () => (fields.waits_for_me === true ? true : undefined),
  });
  const given = Object.entries(parsed).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(given) as RecordFilter;
}

function parseHashPrefix(fields: RawFields): string | null | undefined {
  const hash = parseNullableLine(fields, 'hash', TEXT_CHARACTERS_MAX)?.toLowerCase();
  if (hash === undefined || /^[0-9a-f]{1,64}$/.test(hash)) return hash;
  throw badField('hash', `expected 1 to 64 hex characters, found ${JSON.stringify(hash)}`);
}

function parseMoment(fields: RawFields, field: 'since' | 'until'): number | undefined {
  const value = fields[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw badField(field, 'expected a time between 1970 and 2255');
}

/** What the list is narrowed by, as the reader chose it, the address shows it and the daemon is asked. */
import { matchesText } from '../../src/domain/records/record-search.ts';
import type {
  AllOfSavedFilter,
  MediaKind as Kind,
  ListedRecord,
  Outcome,
  SaveFilterInput,
} from '../gen/documents.ts';

export interface RecordFilter {
  kind: Kind | '';
  outcome: string;
  /** Part of a name or a reference, or the beginning of a hash or an identifier. */
  text: string;
  /** Part of what is said, by the transcript. */
  said: string;
  /** `YYYY-MM-DD` in the reader's zone, or empty; both days are part of it. */
  since: string;
  until: string;
  /** Findings of others that wait for the reader's sign-off, instead of the reader's own records. */
  waitsForMe: '' | 'yes';
  /** Number of a desk; `0`: what belongs to none. */
  deskId: string;
}

export const NO_FILTER: RecordFilter = {
  kind: '',
  outcome: '',
  text: '',
  said: '',
  since: '',
  until: '',
  waitsForMe: '',
  deskId: '',
};

export function isFiltering(filter: RecordFilter): boolean {
  return Object.values(filter).some((value) => value.trim() !== '');
}

export function toVariables(filter: RecordFilter): object {
  const { kind, ...parts } = toSaved(filter);
  return { ...(kind === undefined ? {} : { kind }), filter: parts };
}

/** As the daemon keeps it: what does not narrow is left out, and days are moments. */
export function toSaved({
  kind,
  outcome,
  text,
  said,
  since,
  until,
  deskId,
  waitsForMe,
}: RecordFilter): SavedParts {
  return {
    ...(kind === '' ? {} : { kind }),
    ...(outcome === '' ? {} : { outcome: outcome.toUpperCase() as Outcome }),
    ...(text.trim() === '' ? {} : { search: text.trim() }),
    ...(said.trim() === '' ? {} : { text: said.trim() }),
    ...(since === '' ? {} : { since: startOf(since).toISOString() }),
    ...(until === '' ? {} : { until: startOf(until, 1).toISOString() }),
    ...(deskId === '' ? {} : { deskId }),
    ...(waitsForMe === '' ? {} : { waitsForMe: true }),
  };
}

type SavedParts = Omit<SaveFilterInput, 'name'>;

/** A filter of another program may begin within a day: the page shows the days that it touches. */
export function fromSaved(saved: AllOfSavedFilter): RecordFilter {
  const { kind, outcome, search, text: said, since, until, deskId, waitsForMe } = saved;
  return {
    kind: kind ?? '',
    outcome: outcome?.toLowerCase() ?? '',
    text: search,
    said,
    since: since === null ? '' : dayOf(new Date(since)),
    until: until === null ? '' : dayOf(new Date(new Date(until).getTime() - 1)),
    deskId: deskId ?? '',
    waitsForMe: waitsForMe ? 'yes' : '',
  };
}

/** The day of a time in the reader's zone. */
function dayOf(time: Date): string {
  const [month, day] = [time.getMonth() + 1, time.getDate()].map((part) => String(part).padStart(2, '0'));
  return `${time.getFullYear()}-${month}-${day}`;
}

/** Whether a record that has just come or changed belongs into the list. */
export function matchesFilter(
  record: ListedRecord,
  { outcome, text, said, since, until, deskId, waitsForMe }: RecordFilter,
): boolean {
  const createdAt = new Date(record.createdAt);
  // Only the daemon knows the transcript.
  if (said.trim() !== '') return false;
  if (outcome !== '' && record.outcome !== outcome.toUpperCase()) return false;
  if (since !== '' && createdAt < startOf(since)) return false;
  if (until !== '' && createdAt >= startOf(until, 1)) return false;
  if (deskId !== '' && (record.deskId ?? '0') !== deskId) return false;
  if (waitsForMe !== '' && record.signOff?.state !== 'OPEN') return false;
  return matchesText(record, text.trim());
}

/** Midnight of the day in the reader's zone; a day further, even if the clock is put forward. */
function startOf(day: string, daysLater = 0): Date {
  const start = new Date(`${day}T00:00:00`);
  start.setDate(start.getDate() + daysLater);
  return start;
}

/** Kept in the address, so that the way back from a record leads to the list as it was. */
export function readFilter(search: string): RecordFilter {
  const parameters = new URLSearchParams(search);
  const read = Object.keys(NO_FILTER).map((name) => [name, parameters.get(name) ?? '']);
  return Object.fromEntries(read) as RecordFilter;
}

export function writeFilter(filter: RecordFilter): void {
  const parameters = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== ''));
  const search = parameters.size === 0 ? '' : `?${parameters}`;
  history.replaceState(history.state, '', `${location.pathname}${search}`);
}

/**
 * One look at the records that a filter lets through, newest first, up to a bound. An index finds those of a reference, a
 * state, a verdict, an outcome (domain/records/answer-class.ts) or what was said; it may find some too many, so each record is still
 * compared with the filter. If a text is searched, the index shows which are passed over. The cursor goes on behind the last one that was looked at, so what is found may be little, or nothing, and not be all. A row
 * that cannot be shown has its place in the page and counts like the others, unless it is known not to match.
 */
import type { ClassificationRecord } from '../../domain/answers/record.ts';
import type { Entry, RecordEntry, RefusedRecord } from '../../domain/answers/refused-record.ts';
import { holderOfDesk } from '../../domain/desk.ts';
import { AppError } from '../../domain/errors.ts';
import { isHex64 } from '../../domain/identifiers.ts';
import type { MediaKind } from '../../domain/media/media.ts';
import { type Answered, decidedBy, fromNumber, PROFILES } from '../../domain/records/answer-class.ts';
import { type Classification, type Status, statusOf } from '../../domain/records/classification.ts';
import { outcomeOf, statusOfOutcome } from '../../domain/records/outcome.ts';
import { matchesText, type Searched } from '../../domain/records/record-search.ts';
import { isSaid } from '../../domain/transcripts/transcript.ts';
import { transcriptOf } from '../../domain/verdicts/transcripts-of.ts';
import {
  type DamagedRow,
  type DeskQuery,
  newestFirst,
  type ScanQuery,
} from '../../store/records/record-reader.ts';
import { DamagedRecordError } from '../../store/tables/codec.ts';
import type { Principal } from '../callers/principal.ts';
import { mayRead } from '../callers/rights.ts';
import { NO_DESK, type RecordFilter } from './filters/record-filter.ts';
import { recordsThatWaitFor } from './judging.ts';
import type { RecordParts } from './parts.ts';
import { profileOf, toRecord } from './record.ts';

/** Records that one page looks at, so that the call is answered in the time below on a slow box too. */
const SCAN_RECORDS_MAX = 5000;
/** No other call is answered meanwhile; a video with its frames takes longest. */
const SCAN_MS_MAX = 40;
/** Always looked at: a busy box must not answer with one empty page after another. */
const SCAN_RECORDS_MIN = 100;
/** Records of one hash, of a prefix, or of said words, that are sorted in memory; the scan soon meets more of them. */
const CANDIDATES_MAX = 1000;
/** A shorter prefix would match other files as well. */
const HASH_PREFIX_MIN = 8;

export interface Place {
  createdAt: number;
  identifier: string;
}

interface FindQuery {
  principal: Principal;
  isOwnOnly?: boolean | undefined;
  kind: MediaKind | undefined;
  filter: RecordFilter;
  before: Place | undefined;
  limit: number;
}

interface FoundPage {
  entries: RecordEntry[];
  /** The last looked-at record, if there may be more. */
  last: Place | null;
}

export function findRecords(app: RecordParts, query: FindQuery): FoundPage {
  const { filter, limit } = query;
  const entries: RecordEntry[] = [];
  // Without a filter every record matches, so such a page is always full.
  const endsAt =
    Object.keys(filter).length === 0 ? Number.POSITIVE_INFINITY : performance.now() + SCAN_MS_MAX;
  let last: Place | null = null;
  let seen = 0;
  let passed = 0;
  for (const one of candidatesOf(app, query) ?? scanOf(app, query)) {
    if (one.createdAt < (filter.since ?? 0)) break;
    const isLate = seen + passed >= SCAN_RECORDS_MIN && performance.now() > endsAt;
    if (entries.length >= limit || seen >= SCAN_RECORDS_MAX || isLate) return { entries, last };
    last = one;
    if (isPassed(one)) {
      passed += 1;
      continue;
    }
    entries.push(
      ...('isDamaged' in one ? damagedEntry(one, filter) : matchingEntry(app, query.principal, one, filter)),
    );
    seen += 1;
  }
  return { entries, last: null };
}

type Row = Classification | DamagedRow;

/** A bare place is a record that the index skips. */
const isPassed = (row: Row | Place): row is Place => !('analysisId' in row || 'isDamaged' in row);

/** The account's and its desks' records as one list. */
function scanOf(app: RecordParts, query: FindQuery): Iterable<Row | Place> {
  const { principal, isOwnOnly = false, kind, filter, before } = query;
  const { id: accountId } = principal.account;
  const { until, deskId } = filter;
  const isLater = until !== undefined && (before === undefined || before.createdAt >= until);
  const bounds = { kind, before: isLater ? { createdAt: until } : before };
  const desks = isOwnOnly || deskId === NO_DESK ? [] : desksOf(app, query);
  const ofDesks = desks.map((desk) => scanOfDesk(app, { deskId: desk, ...bounds }, filter));
  if (deskId !== undefined && deskId !== NO_DESK) return newestFirst(ofDesks);
  const own = scanOfAccount(app, { accountId, ...bounds }, filter);
  return ofDesks.length === 0 ? own : newestFirst([own[Symbol.iterator](), ...ofDesks]);
}

/** The caller's desks that the filter covers. */
function desksOf({ store: { read } }: RecordParts, { principal, filter: { deskId } }: FindQuery): number[] {
  const desks = read.desks.membershipsOf(principal.account.id).map((member) => member.deskId);
  if (deskId === undefined || deskId === NO_DESK) return desks;
  if (desks.includes(deskId)) return [deskId];
  throw new AppError('desk', 'no such desk');
}

function scanOfDesk(app: RecordParts, query: DeskQuery, filter: RecordFilter): Generator<Row | Place> {
  const isWanted = classesOf(app, query, filter);
  return searchOf(app, query, { search: filter.search, isWanted });
}

function scanOfAccount(app: RecordParts, query: ScanQuery, filter: RecordFilter): Iterable<Row | Place> {
  const { read } = app.store;
  const { refId, search } = filter;
  // While the index is being made, each record is looked at.
  const isComplete = read.records.areAnswersComplete;
  if (isComplete && refId !== undefined) return read.records.scanReference(query, refId);
  const isWanted = classesOf(app, query, filter);
  if (search !== undefined) return searchOf(app, query, { search, isWanted });
  return isWanted === null ? read.records.scanRows(query) : read.records.scanAnswers(query, isWanted);
}

/** Whether a record of an answer class may match; null if the filter covers all classes, or the index is incomplete. */
function classesOf(
  app: RecordParts,
  query: ScanQuery | DeskQuery,
  filter: RecordFilter,
): ((answerClass: number) => boolean) | null {
  const statuses = wantedStatuses(filter);
  if (statuses.length === 0 || !app.store.read.records.areAnswersComplete) return null;
  const { kind } = query;
  // A desk's records are each read by their sender's profile.
  const profiles = 'deskId' in query ? PROFILES : [profileOf(app, query)];
  return (number) => {
    const answer = fromNumber(number);
    if (answer === undefined) return true;
    return profiles.some((profile) => {
      const decided = decidedBy(answer, profile);
      if (decided === null) return true;
      if (kind !== undefined && answer.kind !== kind) return false;
      return statuses.every((wanted) => wanted === decided.status) && matchesFindings(decided, filter);
    });
  };
}

interface Wanted {
  search: string | undefined;
  isWanted: ((answerClass: number) => boolean) | null;
}

function* searchOf(
  { store: { read } }: RecordParts,
  query: ScanQuery | DeskQuery,
  { search, isWanted }: Wanted,
): Generator<Row | Place> {
  const { kind } = query;
  for (const place of read.records.scanTexts(query)) {
    const { identifier, createdAt, texts, answerClass } = place;
    const passed: Place = { identifier, createdAt };
    const isPassedOver = answerClass !== undefined && isWanted?.(answerClass) === false;
    const isOther =
      search !== undefined && texts !== undefined && !matchesText({ identifier, ...texts }, search);
    if (isPassedOver || isOther) {
      yield passed;
      continue;
    }
    const found = read.records.getUnlessDamaged(identifier);
    if (found === undefined) yield read.records.damagedRow(query, place) ?? passed;
    else yield kind === undefined || found.kind === kind ? found : passed;
  }
}

/** Newest first, found by hash, identifier or pending sign-off without a scan. */
function candidatesOf(app: RecordParts, query: FindQuery): Row[] | undefined {
  const { principal, isOwnOnly = false, kind, filter, before } = query;
  const { until = Number.POSITIVE_INFINITY } = filter;
  const { id } = principal.account;
  const found =
    filter.waitsForMe === true
      ? recordsThatWaitFor(app, principal, kind)
      : (heldCandidates(app, query) ?? candidatesOfSaid(app, query));
  return found
    ?.filter((one) => !isOwnOnly || 'isDamaged' in one || one.accountId === id)
    ?.filter((one) => kind === undefined || !('kind' in one) || one.kind === kind)
    .filter((one) => one.createdAt < until)
    .filter((one) => before === undefined || isOlder(one, before))
    .sort((left, right) => (isOlder(left, right) ? 1 : -1));
}

function heldCandidates(app: RecordParts, query: FindQuery): Classification[] | undefined {
  const { hash, search = '' } = query.filter;
  return hash === undefined ? candidatesOfText(app, query, search) : ofHash(app, query, hash);
}

/** The records of each holder in the query; undefined if one cannot be found so. */
function ofHolders(
  app: RecordParts,
  query: FindQuery,
  find: (holder: number) => Classification[] | undefined,
): Classification[] | undefined {
  const { id } = query.principal.account;
  const found = [id, ...desksOf(app, query).map(holderOfDesk)].map(find);
  const known = found.filter((one) => one !== undefined);
  return known.length < found.length ? undefined : known.flat();
}

/** A whole hash or identifier; a shorter text may be part of a name, and the scan finds damaged rows. */
function candidatesOfText(app: RecordParts, query: FindQuery, search: string): Classification[] | undefined {
  const text = search.toLowerCase();
  if (!isHex64(text) || app.store.read.records.isDamaged(text)) return undefined;
  const named = app.store.read.records.getUnlessDamaged(text);
  const hashed = ofHash(app, query, text);
  const isReadable = named !== undefined && mayRead(app, query.principal, named);
  return isReadable && hashed !== undefined ? [named, ...hashed] : hashed;
}

/** Undefined if the index of words does not help: each record is then looked at. */
function candidatesOfSaid(app: RecordParts, query: FindQuery): Classification[] | undefined {
  const { records, words } = app.store.read;
  const { text } = query.filter;
  if (text === undefined || !words.areComplete) return undefined;
  return ofHolders(app, query, (holder) => {
    const analyses = words.analysesThatMaySay(holder, text);
    return analyses && records.classificationsOfAnalyses(holder, analyses, CANDIDATES_MAX);
  });
}

function ofHash(app: RecordParts, query: FindQuery, prefix: string): Classification[] | undefined {
  if (prefix.length < HASH_PREFIX_MIN) return undefined;
  const { records } = app.store.read;
  return ofHolders(app, query, (holder) =>
    records.classificationsOfHashPrefix(holder, prefix, CANDIDATES_MAX),
  );
}

function isOlder(one: Place, other: Place): boolean {
  if (one.createdAt !== other.createdAt) return one.createdAt < other.createdAt;
  return one.identifier < other.identifier;
}

function matchingEntry(
  app: RecordParts,
  principal: Principal,
  classification: Classification,
  filter: RecordFilter,
): RecordEntry[] {
  if (!matchesSubmission(classification, filter) || !isAtDesk(classification, filter)) return [];
  // The account may have left the desk.
  if (!mayRead(app, principal, classification)) return [];
  return entryOf(classification, () => {
    // The state is cheap to read, the findings of a video are not.
    const analysis = app.store.read.analyses.get(classification.analysisId);
    const status = analysis === undefined ? 'done' : statusOf(classification, analysis);
    if (wantedStatuses(filter).some((wanted) => wanted !== status)) return undefined;
    if (filter.text !== undefined && !isSaid(transcriptOf(analysis?.result ?? null), filter.text))
      return undefined;
    const record = toRecord(app, classification);
    return matchesFindings(record, filter) ? record : undefined;
  });
}

/** Shows a damaged row if its last known state and findings match, or are unknown. */
function damagedEntry({ identifier, createdAt, texts }: DamagedRow, filter: RecordFilter): RecordEntry[] {
  if (texts !== undefined && !matchesSubmission({ identifier, ...texts }, filter)) return [];
  const { message: reason } = new DamagedRecordError('classifications', identifier);
  return [{ refused: { identifier, createdAt, reason } }];
}

function matchesSubmission(classification: Searched, { refId, hash, search }: RecordFilter): boolean {
  if (refId !== undefined && classification.refId !== refId) return false;
  if (hash !== undefined && !classification.hash.startsWith(hash)) return false;
  return search === undefined || matchesText(classification, search);
}

function isAtDesk(classification: Classification, { deskId }: RecordFilter): boolean {
  return deskId === undefined || (classification.deskId ?? NO_DESK) === deskId;
}

function wantedStatuses({ status, outcome, verdict }: RecordFilter): Status[] {
  const ofOutcome = outcome === undefined ? undefined : statusOfOutcome(outcome);
  return [status, ofOutcome, verdict === undefined ? undefined : ('done' as const)].filter(
    (wanted) => wanted !== undefined,
  );
}

function matchesFindings(record: Answered, { outcome, verdict }: RecordFilter): boolean {
  if (verdict !== undefined && record.verdict?.classification !== verdict) return false;
  return outcome === undefined || outcomeOf(record) === outcome;
}

/** A list's row for `read`: none if it is absent for the caller, the reason if it cannot be shown. */
export function entryOf<Shown>(
  { identifier, createdAt }: Omit<RefusedRecord, 'reason'>,
  read: () => Shown | undefined,
): Entry<Shown>[] {
  try {
    const record = read();
    return record === undefined ? [] : [{ record }];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.reason === 'classification') return [];
    if (error.reason === 'damaged') return [{ refused: { identifier, createdAt, reason: error.message } }];
    throw error;
  }
}

/** The rows that `convert` writes; a row that it cannot write is refused like an unreadable one. */
export function convertEntries<Shown>(
  { refusals }: Pick<RecordParts, 'refusals'>,
  entries: readonly RecordEntry[],
  convert: (record: ClassificationRecord) => Shown,
): Entry<Shown>[] {
  return entries.flatMap((entry): Entry<Shown>[] => {
    const { record } = entry;
    if (record === undefined) return [entry];
    return entryOf(record, () => refusals.shown(record.identifier, () => convert(record)));
  });
}

/** The record or its conversion; undefined if it is absent or cannot be shown, so that work goes on with the others. */
export function unlessRefused<Shown>(read: () => Shown): Shown | undefined {
  return entryOf({ identifier: '', createdAt: null }, read)[0]?.record;
}

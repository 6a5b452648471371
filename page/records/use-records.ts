/** The account's records as a live list: a page of the answer may be empty, so some more are fetched, up to a bound. */
import { useEffect, useRef, useState } from 'preact/hooks';
import {
  FOLLOW_RECORDS,
  type FollowRecordsAnswer,
  LIST_RECORDS,
  type ListedRecord,
  READ_LISTED,
} from '../gen/documents.ts';
import { ApiError, ask, askRows, sentenceOf } from '../parts/api.ts';
import { useLive } from '../parts/live.ts';
import { isRefused, type ListRow } from '../parts/records.ts';
import { isFiltering, matchesFilter, type RecordFilter, toVariables } from './record-filter.ts';

const PAGE_SIZE = 50;
/** The daemon answers at most so many at once. */
const PAGE_SIZE_MAX = 100;
/** Answers without a record that one look for something takes by itself. */
const EMPTY_PAGES_MAX = 40;
/** The search waits for a pause in typing. */
const TYPING_MS = 250;

interface RowPage {
  rows: ListRow[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

interface Loaded {
  records: readonly ListRow[];
  /** Came while the reader was looking further down: shown on demand, so that nothing jumps. */
  fresh: readonly ListedRecord[];
  cursor: string | null;
  hasMore: boolean;
}

const NOTHING: Loaded = { records: [], fresh: [], cursor: null, hasMore: true };

export interface Records {
  shown: readonly ListRow[];
  freshCount: number;
  hasMore: boolean;
  isLoading: boolean;
  fault: ApiError | undefined;
  loadMore(): void;
  /** Loads on until so many stand there or all do; those that can be shown. */
  loadUpTo(count: number): Promise<readonly ListedRecord[]>;
  showFresh(): void;
  remove(identifiers: ReadonlySet<string>): void;
}

/** The first rows behind the cursor that match, asked for until there is one; those that cannot be shown among them. */
export async function askRecords(
  filter: RecordFilter,
  after: string | null,
  first = PAGE_SIZE,
): Promise<RowPage> {
  let page: RowPage = { rows: [], pageInfo: { hasNextPage: true, endCursor: after } };
  for (let asked = 0; asked < EMPTY_PAGES_MAX && page.rows.length === 0; asked += 1) {
    const { hasNextPage, endCursor } = page.pageInfo;
    if (!hasNextPage) break;
    const variables = { ...toVariables(filter), first, after: endCursor };
    const { answer, refused } = await askRows(LIST_RECORDS, variables);
    const { nodes, pageInfo } = answer.classifications;
    page = { rows: nodes.flatMap((node, place) => node ?? refused.get(place) ?? []), pageInfo };
  }
  return page;
}

export function useRecords(filter: RecordFilter, isAtTop: () => boolean): Records {
  const [loaded, setLoaded] = useState(NOTHING);
  const [isLoading, setLoading] = useState(true);
  const [fault, setFault] = useState<ApiError>();
  const generation = useRef(0);

  const load = async (from: Loaded): Promise<void> => {
    const own = generation.current;
    const isLatest = (): boolean => own === generation.current;
    setLoading(true);
    setFault(undefined);
    try {
      const page = await askRecords(filter, from.cursor);
      if (isLatest()) setLoaded((current) => append(from === NOTHING ? NOTHING : current, page));
    } catch (error) {
      if (isLatest()) setFault(toFault(error));
    } finally {
      if (isLatest()) setLoading(false);
    }
  };

  const loadUpTo = async (count: number): Promise<readonly ListedRecord[]> => {
    const own = generation.current;
    let now = loaded;
    while (now.hasMore && now.records.length < count && own === generation.current) {
      const page = await askRecords(filter, now.cursor, PAGE_SIZE_MAX);
      now = append(now, page);
      setLoaded((current) => append(current, page));
      // A search that has found nothing so far may go through the whole account.
      if (page.rows.length === 0) break;
    }
    return now.records.slice(0, count).flatMap((row) => (isRefused(row) ? [] : [row]));
  };

  // The old list stays until the new one is there: what is typed must not make the page blink.
  useEffect(() => {
    generation.current += 1;
    setLoading(true);
    const timer = setTimeout(() => void load(NOTHING), isFiltering(filter) ? TYPING_MS : 0);
    return () => clearTimeout(timer);
  }, [JSON.stringify(toVariables(filter))]);

  const put: PutRecords = (rows, isWanted) =>
    setLoaded((state) =>
      rows.reduce((now, row) => merge(now, row, { isAtTop: isAtTop(), isWanted: isWanted(row) }), state),
    );
  useChanges({ filter, shown: loaded.records, generation, put, fail: setFault });

  return {
    shown: loaded.records,
    isLoading,
    fault,
    freshCount: loaded.fresh.length,
    hasMore: loaded.hasMore,
    loadMore: () => {
      if (!isLoading && loaded.hasMore) void load(loaded);
    },
    loadUpTo: async (count) => await loadUpTo(count),
    showFresh: () =>
      setLoaded((state) => ({ ...state, records: [...state.fresh, ...state.records], fresh: [] })),
    remove: (gone) =>
      setLoaded((state) => ({
        ...state,
        records: state.records.filter(({ identifier }) => !gone.has(identifier)),
      })),
  };
}

type PutRecords = (rows: readonly ListedRecord[], isWanted: (row: ListedRecord) => boolean) => void;

interface Changes {
  filter: RecordFilter;
  shown: readonly ListRow[];
  /** Changes with each new list. */
  generation: { current: number };
  put: PutRecords;
  fail: (fault: ApiError) => void;
}

/** Follows changes; after a break it reads what was missed. */
function useChanges({ filter, shown, generation, put, fail }: Changes): void {
  const { kind, waitsForMe } = filter;
  const followed = { ...(kind === '' ? {} : { kind }), waitsForMe: waitsForMe !== '' };
  const take = ({ classifications: changed }: FollowRecordsAnswer): void =>
    put([changed], (row) => matchesFilter(row, filter));
  const catchUp = async (): Promise<void> => {
    const own = generation.current;
    try {
      await askAnew(shown, filter, (rows) => own === generation.current && put(rows, () => true));
    } catch (error) {
      if (own === generation.current) fail(toFault(error));
    }
  };
  useLive(FOLLOW_RECORDS, followed, take, () => void catchUp());
}

/** Reads what changed or came while the watch was broken, for as many rows as are shown. */
async function askAnew(
  shown: readonly ListRow[],
  filter: RecordFilter,
  put: (rows: readonly ListedRecord[]) => unknown,
): Promise<void> {
  const seen = new Set<string>();
  for (let after: string | null = null, hasMore = true; hasMore; ) {
    const { rows, pageInfo }: RowPage = await askRecords(filter, after, PAGE_SIZE_MAX);
    for (const { identifier } of rows) seen.add(identifier);
    put(rows.flatMap((row) => (isRefused(row) ? [] : [row])));
    after = pageInfo.endCursor;
    hasMore = pageInfo.hasNextPage && rows.length > 0 && seen.size < shown.length;
  }
  // What has ended may no longer be what the filter asks for, and stands there all the same.
  for (const row of shown) {
    if (isRefused(row) || row.status !== 'NEW' || seen.has(row.identifier)) continue;
    put([(await ask(READ_LISTED, { identifier: row.identifier })).classification]);
  }
}

function toFault(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError(sentenceOf(error), { code: 'INTERNAL' });
}

function append(state: Loaded, { rows, pageInfo }: RowPage): Loaded {
  const known = new Set([...state.records, ...state.fresh].map(({ identifier }) => identifier));
  return {
    ...state,
    records: [...state.records, ...rows.filter(({ identifier }) => !known.has(identifier))],
    cursor: pageInfo.endCursor,
    hasMore: pageInfo.hasNextPage,
  };
}

/** A known record changes in place, even past the filter; a new one goes on top only while the reader is there. */
function merge(
  state: Loaded,
  changed: ListedRecord,
  { isAtTop, isWanted }: { isAtTop: boolean; isWanted: boolean },
): Loaded {
  const put = <Row extends ListRow>(list: readonly Row[]): readonly (Row | ListedRecord)[] =>
    list.map((record) => (record.identifier === changed.identifier ? changed : record));
  const isIn = (list: readonly ListRow[]): boolean =>
    list.some(({ identifier }) => identifier === changed.identifier);
  if (isIn(state.records)) return { ...state, records: put(state.records) };
  if (isIn(state.fresh)) return { ...state, fresh: put(state.fresh) };
  if (!isWanted) return state;
  const oldest = state.records.at(-1);
  const isOlder = oldest !== undefined && changed.createdAt < oldest.createdAt;
  if (isOlder && state.hasMore) return state;
  if (isAtTop) return { ...state, records: sorted([changed, ...state.records]) };
  return { ...state, fresh: sorted([changed, ...state.fresh]) };
}

function sorted<Row extends ListRow>(rows: Row[]): Row[] {
  return rows.sort((left, right) => (left.createdAt < right.createdAt ? 1 : -1));
}

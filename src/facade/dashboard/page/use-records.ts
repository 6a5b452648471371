/**
 * The account's records as a list that grows by pages and changes live. What the daemon cannot be asked for (a state, a
 * verdict, a name) is looked for page by page among what it sends, up to a bound after which the reader is asked.
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ApiError, ask, sentenceOf } from './api.ts';
import { useLive } from './live.ts';
import { type Kind, LISTED_FIELDS, type ListedRecord, outcomeOf } from './records.ts';

export interface RecordFilter {
  kind: Kind | '';
  outcome: string;
  /** Part of a name, a reference, an identifier or a hash. */
  text: string;
  /** `YYYY-MM-DD` in the reader's zone, or empty. */
  since: string;
}

export const NO_FILTER: RecordFilter = { kind: '', outcome: '', text: '', since: '' };

const PAGE_SIZE = 50;
/** Pages that one look for something reads by itself. */
const SEARCH_PAGES_MAX = 20;

interface Page {
  classifications: { nodes: ListedRecord[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
}

const PAGE_QUERY = `query ($kind: MediaKind, $after: String) { classifications(kind: $kind, first: ${PAGE_SIZE}, after: $after) {
  nodes { ${LISTED_FIELDS} } pageInfo { hasNextPage endCursor } } }`;
const LIVE_QUERY = `subscription ($kind: MediaKind) { classifications(kind: $kind) { ${LISTED_FIELDS} } }`;

interface Loaded {
  records: readonly ListedRecord[];
  /** Came while the reader was looking further down: shown on demand, so that nothing jumps. */
  fresh: readonly ListedRecord[];
  cursor: string | null;
  hasMore: boolean;
}

const NOTHING: Loaded = { records: [], fresh: [], cursor: null, hasMore: true };

export interface Records {
  shown: readonly ListedRecord[];
  loadedCount: number;
  freshCount: number;
  hasMore: boolean;
  isLoading: boolean;
  fault: ApiError | undefined;
  loadMore(): void;
  showFresh(): void;
  remove(identifiers: ReadonlySet<string>): void;
}

export function useRecords(filter: RecordFilter, isAtTop: () => boolean): Records {
  const { kind } = filter;
  const [loaded, setLoaded] = useState(NOTHING);
  const [isLoading, setLoading] = useState(false);
  const [fault, setFault] = useState<ApiError>();
  const generation = useRef(0);
  const variables = kind === '' ? {} : { kind };

  const loadPages = async (from: Loaded, pagesMax: number): Promise<void> => {
    const own = generation.current;
    setLoading(true);
    setFault(undefined);
    try {
      let state = from;
      for (let page = 0; page < pagesMax && state.hasMore; page += 1) {
        const { classifications } = await ask<Page>(PAGE_QUERY, { ...variables, after: state.cursor });
        if (own !== generation.current) return;
        const { nodes, pageInfo } = classifications;
        state = { ...state, cursor: pageInfo.endCursor, hasMore: pageInfo.hasNextPage };
        setLoaded((current) => append(current, classifications));
        if (matching(nodes, filter).length > 0) break;
      }
    } catch (error) {
      if (own === generation.current) {
        setFault(error instanceof ApiError ? error : new ApiError(sentenceOf(error), { code: 'INTERNAL' }));
      }
    } finally {
      if (own === generation.current) setLoading(false);
    }
  };

  useEffect(() => {
    generation.current += 1;
    setLoaded(NOTHING);
    void loadPages(NOTHING, SEARCH_PAGES_MAX);
  }, [kind]);

  const shown = useMemo(() => matching(loaded.records, filter), [loaded, filter]);
  const isSearching = filter.text !== '' || filter.outcome !== '' || filter.since !== '';
  useEffect(() => {
    if (isSearching && shown.length === 0 && loaded.hasMore && !isLoading && loaded !== NOTHING) {
      void loadPages(loaded, SEARCH_PAGES_MAX);
    }
  }, [filter]);

  useLive<{ classifications: ListedRecord }>(LIVE_QUERY, variables, ({ classifications: changed }) => {
    setLoaded((state) => merge(state, changed, isAtTop()));
  });

  return {
    ...{ shown, isLoading, fault },
    loadedCount: loaded.records.length,
    freshCount: loaded.fresh.length,
    hasMore: loaded.hasMore,
    loadMore: () => {
      if (!isLoading && loaded.hasMore) void loadPages(loaded, isSearching ? SEARCH_PAGES_MAX : 1);
    },
    showFresh: () =>
      setLoaded((state) => ({ ...state, records: [...state.fresh, ...state.records], fresh: [] })),
    remove: (gone) =>
      setLoaded((state) => ({
        ...state,
        records: state.records.filter(({ identifier }) => !gone.has(identifier)),
      })),
  };
}

function append(state: Loaded, { nodes, pageInfo }: Page['classifications']): Loaded {
  const known = new Set([...state.records, ...state.fresh].map(({ identifier }) => identifier));
  return {
    ...state,
    records: [...state.records, ...nodes.filter(({ identifier }) => !known.has(identifier))],
    cursor: pageInfo.endCursor,
    hasMore: pageInfo.hasNextPage,
  };
}

/** A known record is changed where it stands; a new one goes on top only when the reader is there. */
function merge(state: Loaded, changed: ListedRecord, isAtTop: boolean): Loaded {
  const put = (list: readonly ListedRecord[]): readonly ListedRecord[] =>
    list.map((record) => (record.identifier === changed.identifier ? changed : record));
  const isIn = (list: readonly ListedRecord[]): boolean =>
    list.some(({ identifier }) => identifier === changed.identifier);
  if (isIn(state.records)) return { ...state, records: put(state.records) };
  if (isIn(state.fresh)) return { ...state, fresh: put(state.fresh) };
  const oldest = state.records.at(-1);
  const isOlder = oldest !== undefined && changed.createdAt < oldest.createdAt;
  if (isOlder && state.hasMore) return state;
  if (isAtTop) return { ...state, records: sorted([changed, ...state.records]) };
  return { ...state, fresh: sorted([changed, ...state.fresh]) };
}

function sorted(records: ListedRecord[]): ListedRecord[] {
  return records.sort((left, right) => (left.createdAt < right.createdAt ? 1 : -1));
}

function matching(records: readonly ListedRecord[], { outcome, text, since }: RecordFilter): ListedRecord[] {
  const wanted = text.trim().toLowerCase();
  const from = since === '' ? 0 : new Date(`${since}T00:00:00`).getTime();
  return records.filter((record) => {
    if (outcome !== '' && outcomeOf(record) !== outcome) return false;
    if (from > 0 && new Date(record.createdAt).getTime() < from) return false;
    const { name, refId, hash, identifier } = record;
    return (
      wanted === '' || [name, refId, hash, identifier].some((field) => field.toLowerCase().includes(wanted))
    );
  });
}

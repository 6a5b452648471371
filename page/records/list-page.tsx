/** The account's records: live, filtered, drawn only where the reader looks. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { session } from '../parts/api.ts';
import { formatNumber } from '../parts/format.ts';
import { Button, Empty, Fault, Loading, Title } from '../parts/parts.tsx';
import { PATHS } from '../paths.ts';
import { t } from '../texts/language.ts';
import { Bulk, ExportFound } from './bulk-actions.tsx';
import { isFiltering, NO_FILTER, type RecordFilter, readFilter, writeFilter } from './record-filter.ts';
import { RecordFilters } from './record-filters.tsx';
import { RecordRow, RefusedRecordRow } from './record-row.tsx';
import { isRefused } from './records.ts';
import { type Records, useRecords } from './use-records.ts';

/** Fixed, so that a place in the list follows from a number. As in records.css. */
const ROW_PIXELS = 64;
const ROWS_BEYOND = 8;
const NEAR_TOP_PIXELS = 120;

export function ListPage(): JSX.Element {
  const [filter, setFilter] = useState(() => readFilter(location.search));
  const choose = (next: RecordFilter): void => {
    setFilter(next);
    writeFilter(next);
  };
  const records = useRecords(filter, () => scrollY < NEAR_TOP_PIXELS);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  return (
    <>
      <div class="page-head">
        <Title>{t('records')}</Title>
        <Link href={PATHS.submit} class="button main">
          {t('navSubmit')}
        </Link>
      </div>
      <RecordFilters {...{ filter }} onFilter={choose} />
      {chosen.size > 0 && <Bulk {...{ chosen, records }} onDone={() => setChosen(new Set())} />}
      <Fault error={records.fault} />
      {records.freshCount > 0 && (
        <button
          type="button"
          class="fresh"
          onClick={() => {
            records.showFresh();
            scrollTo({ top: 0 });
          }}
        >
          {t('showFresh', { count: records.freshCount })}
        </button>
      )}
      <Rows {...{ records, chosen }} isFiltered={isFiltering(filter)} onChosen={setChosen} />
      <div>
        <Tail {...{ records }} isFiltered={isFiltering(filter)} onClear={() => choose(NO_FILTER)} />
        {records.shown.length > 0 && <ExportFound {...{ filter }} />}
      </div>
    </>
  );
}

interface RowsProps {
  records: Records;
  chosen: ReadonlySet<string>;
  isFiltered: boolean;
  onChosen: (chosen: ReadonlySet<string>) => void;
}

function Rows({ records, chosen, isFiltered, onChosen }: RowsProps): JSX.Element | null {
  const ref = useRef<HTMLUListElement>(null);
  const { first, last } = useWindow(ref, records.shown.length);
  useEffect(() => {
    const { length } = records.shown;
    // The first page comes by itself.
    if (length > 0 && last >= length - ROWS_BEYOND && records.hasMore) records.loadMore();
    // A filter that finds little would look through the whole account by itself: there the reader asks.
  }, [last, records.shown.length, isFiltered || records.isLoading]);
  if (records.shown.length === 0) return null;
  const choose = (identifier: string, isChosen: boolean): void => {
    const next = new Set(chosen);
    if (isChosen) next.add(identifier);
    else next.delete(identifier);
    onChosen(next);
  };
  return (
    <ul
      class="rows"
      aria-label={t('records')}
      {...{ ref }}
      style={{
        height: `${records.shown.length * ROW_PIXELS}px`,
        paddingTop: `${first * ROW_PIXELS}px`,
      }}
    >
      {records.shown
        .slice(first, last)
        .map((row) =>
          isRefused(row) ? (
            <RefusedRecordRow key={row.identifier} {...{ row }} />
          ) : (
            <RecordRow
              key={row.identifier}
              record={row}
              isChosen={chosen.has(row.identifier)}
              onChoose={(isChosen) => choose(row.identifier, isChosen)}
            />
          ),
        )}
    </ul>
  );
}

/** Which rows are in sight, and a few beyond. */
function useWindow(ref: { current: HTMLElement | null }, count: number): { first: number; last: number } {
  const [place, setPlace] = useState({ first: 0, last: 30 });
  useEffect(() => {
    const measure = (): void => {
      const top = ref.current?.getBoundingClientRect().top ?? 0;
      const first = Math.max(0, Math.floor(-top / ROW_PIXELS) - ROWS_BEYOND);
      const last = Math.min(count, Math.ceil((innerHeight - top) / ROW_PIXELS) + ROWS_BEYOND);
      setPlace((before) => (before.first === first && before.last === last ? before : { first, last }));
    };
    measure();
    addEventListener('scroll', measure, { passive: true });
    addEventListener('resize', measure);
    return () => {
      removeEventListener('scroll', measure);
      removeEventListener('resize', measure);
    };
  }, [count]);
  return place;
}

function Tail({
  records,
  isFiltered,
  onClear,
}: {
  records: Records;
  isFiltered: boolean;
  onClear: () => void;
}): JSX.Element {
  const { shown, hasMore, isLoading, loadMore } = records;
  if (isLoading) return <Loading />;
  if (shown.length > 0) {
    return (
      <p class="quiet tail">
        {t(hasMore ? 'loadedSoFar' : 'loadedAll', { count: formatNumber(shown.length) })}{' '}
        {hasMore && isFiltered && <Button onPress={loadMore}>{t('searchFurther')}</Button>}
      </p>
    );
  }
  if (!isFiltered) {
    return (
      <Empty title={t('noRecords')}>
        <p>{t('noRecordsLead')}</p>
        <Link href={PATHS.submit} class="button main">
          {t('navSubmit')}
        </Link>
        {session.get()?.account?.role === 'admin' && (
          <p>
            <Link href={PATHS.firstSteps}>{t('guide')}</Link>
          </p>
        )}
      </Empty>
    );
  }
  return (
    <Empty title={t('nothingFound')}>
      <p>{t(hasMore ? 'searchedSoFar' : 'searchedAll')}</p>
      {hasMore && <Button onPress={loadMore}>{t('searchFurther')}</Button>}
      <Button onPress={onClear}>{t('clearFilters')}</Button>
    </Empty>
  );
}

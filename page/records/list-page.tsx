/** The account's records: live, filtered, drawn only where the reader looks. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { session } from '../parts/api.ts';
import { formatNumber } from '../parts/format.ts';
import { Button, Empty, Fault, Loading, Title } from '../parts/parts.tsx';
import { PATHS } from '../parts/paths.ts';
import { useCell } from '../state/cell.ts';
import { read, write } from '../state/theme.ts';
import { t } from '../texts/language.ts';
import { Bulk, ExportFound } from './bulk-actions.tsx';
import { LIST_ORDERS, type ListOrder, ORDERED_MAX } from './list-order.ts';
import { ListTools } from './list-tools.tsx';
import { leaveList } from './listed.ts';
import { isFiltering, NO_FILTER, type RecordFilter, readFilter, writeFilter } from './record-filter.ts';
import { RecordFilters } from './record-filters.tsx';
import { Rows } from './rows.tsx';
import { SavedFilters } from './saved-filters.tsx';
import { clearSelection, selection } from './selection.ts';
import { type Records, useRecords } from './use-records.ts';
import { LAYOUTS, type ListView } from './use-window.ts';

const NEAR_TOP_PIXELS = 120;

export function ListPage(): JSX.Element {
  const [filter, setFilter] = useState(() => readFilter(location.search));
  const choose = (next: RecordFilter): void => {
    setFilter(next);
    writeFilter(next);
  };
  const records = useRecords(filter, () => scrollY < NEAR_TOP_PIXELS);
  const chosen = useCell(selection);
  const [view, setView] = useRemembered<ListView>('assay.list', Object.keys(LAYOUTS) as ListView[], 'rows');
  const [order, setOrder] = useRemembered<ListOrder>('assay.order', LIST_ORDERS, 'newest');
  const isFiltered = isFiltering(filter);
  useEffect(() => {
    addEventListener('pagehide', leaveList);
    return () => {
      removeEventListener('pagehide', leaveList);
      leaveList();
    };
  }, []);
  return (
    <>
      <div class="page-head">
        <Title>{t('records')}</Title>
        <Link href={PATHS.submit} class="button main">
          {t('navSubmit')}
        </Link>
      </div>
      <RecordFilters {...{ filter }} onFilter={choose} />
      <SavedFilters {...{ filter, isFiltered }} onFilter={choose} />
      {records.shown.length > 0 && (
        <ListTools {...{ records, view, order }} onView={setView} onOrder={setOrder} />
      )}
      {chosen.size > 0 && <Bulk {...{ chosen, records }} onDone={clearSelection} />}
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
      {/* Another filter is another list: the keys begin at its top. */}
      <Rows key={JSON.stringify(filter)} {...{ records, view, order, isFiltered }} />
      <div>
        <Tail {...{ records, isFiltered, order }} onClear={() => choose(NO_FILTER)} />
        {records.shown.length > 0 && <ExportFound {...{ filter }} />}
      </div>
    </>
  );
}

/** A choice that is kept in this browser. */
function useRemembered<Value extends string>(
  key: string,
  values: readonly Value[],
  initial: Value,
): [Value, (value: Value) => void] {
  const [value, setValue] = useState(() => values.find((one) => one === read(key)) ?? initial);
  return [
    value,
    (next) => {
      setValue(next);
      write(key, next);
    },
  ];
}

interface TailProps {
  records: Records;
  isFiltered: boolean;
  order: ListOrder;
  onClear: () => void;
}

function Tail({ records, isFiltered, order, onClear }: TailProps): JSX.Element {
  const { shown, hasMore, isLoading, loadMore } = records;
  if (isLoading) return <Loading />;
  if (shown.length > 0) {
    const isPart = hasMore && order !== 'newest' && shown.length >= ORDERED_MAX;
    return (
      <p class="quiet tail">
        {t(hasMore ? 'loadedSoFar' : 'loadedAll', { count: formatNumber(shown.length) })}{' '}
        {isPart && `${t('orderedPart')} `}
        {hasMore && (isFiltered || isPart) && <Button onPress={loadMore}>{t('searchFurther')}</Button>}
        <span class="keys-hint">{t('listKeys')}</span>
      </p>
    );
  }
  if (!isFiltered) return <NoRecords />;
  return (
    <Empty title={t('nothingFound')}>
      <p>{t(hasMore ? 'searchedSoFar' : 'searchedAll')}</p>
      {hasMore && <Button onPress={loadMore}>{t('searchFurther')}</Button>}
      <Button onPress={onClear}>{t('clearFilters')}</Button>
    </Empty>
  );
}

function NoRecords(): JSX.Element {
  return (
    <Empty title={t('noRecords')}>
      <p>{t('noRecordsLead')}</p>
      <Link href={PATHS.submit} class="button main">
        {t('navSubmit')}
      </Link>
      {session.get()?.account?.role === 'admin' && (
        <p>
          <Link href={PATHS.firstSteps} class="button plain">
            {t('guide')}
          </Link>
        </p>
      )}
    </Empty>
  );
}

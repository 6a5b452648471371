/** The account's records: live, filtered, drawn only where the reader looks. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { change, USER_ERRORS } from './api.ts';
import { exportRecords } from './export.ts';
import { formatNumber } from './format.ts';
import { Guide } from './guide.tsx';
import { t } from './language.ts';
import { Button, Dialog, Empty, Fault, Loading, Search, Select, Title } from './parts.tsx';
import { PATHS } from './paths.ts';
import { RecordRow } from './record-row.tsx';
import type { Kind } from './records.ts';
import { useWork } from './use-query.ts';
import { NO_FILTER, type RecordFilter, type Records, useRecords } from './use-records.ts';

/** Fixed, so that a place in the list follows from a number. As in records.css. */
const ROW_PIXELS = 64;
const ROWS_BEYOND = 8;
const NEAR_TOP_PIXELS = 120;

export function ListPage(): JSX.Element {
  const [filter, setFilter] = useState<RecordFilter>(NO_FILTER);
  const records = useRecords(filter, () => scrollY < NEAR_TOP_PIXELS);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const isFiltered = JSON.stringify(filter) !== JSON.stringify(NO_FILTER);
  return (
    <>
      <div class="page-head">
        <Title>{t('records')}</Title>
        <Link href={PATHS.submit} class="button main">
          {t('navSubmit')}
        </Link>
      </div>
      <Filters {...{ filter }} onFilter={setFilter} />
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
      <Rows {...{ records, chosen }} onChosen={setChosen} />
      <Tail {...{ records, isFiltered }} onClear={() => setFilter(NO_FILTER)} />
    </>
  );
}

function Filters({
  filter,
  onFilter,
}: {
  filter: RecordFilter;
  onFilter: (filter: RecordFilter) => void;
}): JSX.Element {
  const put = (part: Partial<RecordFilter>): void => onFilter({ ...filter, ...part });
  const outcomes = ['waiting', 'human', 'artificial', 'inconclusive', 'not_applicable', 'failed'] as const;
  return (
    <Search>
      <input
        type="search"
        aria-label={t('searchRecords')}
        placeholder={t('searchRecords')}
        value={filter.text}
        onInput={(event) => put({ text: event.currentTarget.value })}
      />
      <Select
        isInline
        label={t('kind')}
        value={filter.kind}
        options={[
          ['', t('all')],
          ['IMAGE', t('kindImage')],
          ['VIDEO', t('kindVideo')],
          ['AUDIO', t('kindAudio')],
        ]}
        onValue={(kind) => put({ kind: kind as Kind | '' })}
      />
      <Select
        isInline
        label={t('outcome')}
        value={filter.outcome}
        options={[['', t('all')], ...outcomes.map((name) => [name, t(`outcome_${name}`)] as const)]}
        onValue={(outcome) => put({ outcome })}
      />
      <label class="field inline">
        <span>{t('since')}</span>
        <input
          type="date"
          value={filter.since}
          onInput={(event) => put({ since: event.currentTarget.value })}
        />
      </label>
    </Search>
  );
}

interface RowsProps {
  records: Records;
  chosen: ReadonlySet<string>;
  onChosen: (chosen: ReadonlySet<string>) => void;
}

function Rows({ records, chosen, onChosen }: RowsProps): JSX.Element | null {
  const ref = useRef<HTMLUListElement>(null);
  const { first, last } = useWindow(ref, records.shown.length);
  useEffect(() => {
    const { length } = records.shown;
    // The first page comes by itself.
    if (length > 0 && last >= length - ROWS_BEYOND && records.hasMore) records.loadMore();
  }, [last, records.shown.length]);
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
      {records.shown.slice(first, last).map((record) => (
        <RecordRow
          key={record.identifier}
          {...{ record }}
          isChosen={chosen.has(record.identifier)}
          onChoose={(isChosen) => choose(record.identifier, isChosen)}
        />
      ))}
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
  const { shown, loadedCount, hasMore, isLoading, loadMore } = records;
  if (isLoading) return <Loading />;
  if (shown.length > 0) {
    return (
      <p class="quiet tail">
        {t(hasMore ? 'loadedSoFar' : 'loadedAll', { count: formatNumber(loadedCount) })}
      </p>
    );
  }
  if (!isFiltered) {
    return (
      <>
        <Empty title={t('noRecords')}>
          <p>{t('noRecordsLead')}</p>
          <Link href={PATHS.submit} class="button main">
            {t('navSubmit')}
          </Link>
        </Empty>
        <Guide />
      </>
    );
  }
  return (
    <Empty title={t('nothingFound')}>
      <p>{t('searchedRecords', { count: formatNumber(loadedCount) })}</p>
      {hasMore && <Button onPress={loadMore}>{t('searchFurther')}</Button>}
      <Button onPress={onClear}>{t('clearFilters')}</Button>
    </Empty>
  );
}

const DELETE = `mutation ($identifier: ID!) { deleteClassification(identifier: $identifier) { deletedIdentifier ${USER_ERRORS} } }`;

interface BulkProps {
  chosen: ReadonlySet<string>;
  records: Records;
  onDone: () => void;
}

function Bulk({ chosen, records, onDone }: BulkProps): JSX.Element {
  const [isAsking, setAsking] = useState(false);
  const { isBusy, fault, run } = useWork();
  const picked = records.shown.filter(({ identifier }) => chosen.has(identifier));
  const remove = async (): Promise<void> => {
    const isDone = await run(async () => {
      for (const identifier of chosen) {
        await change(DELETE, { identifier });
        records.remove(new Set([identifier]));
      }
    });
    setAsking(false);
    if (isDone) onDone();
  };
  return (
    <section class="bulk" aria-label={t('chosenRecords')}>
      <strong>{t('chosenCount', { count: chosen.size })}</strong>
      <Button onPress={() => exportRecords(picked, 'csv')}>CSV</Button>
      <Button onPress={() => exportRecords(picked, 'json')}>JSON</Button>
      <Button kind="danger" onPress={() => setAsking(true)}>
        {t('delete')}
      </Button>
      <Button kind="link" onPress={onDone}>
        {t('clearChoice')}
      </Button>
      <Fault error={fault} />
      {isAsking && (
        <Dialog title={t('deleteRecords', { count: chosen.size })} onClose={() => setAsking(false)}>
          <p>{t('deleteLead')}</p>
          <p class="actions">
            <Button kind="danger" {...{ isBusy }} onPress={() => void remove()}>
              {t('delete')}
            </Button>
            <Button onPress={() => setAsking(false)}>{t('cancel')}</Button>
          </p>
        </Dialog>
      )}
    </section>
  );
}

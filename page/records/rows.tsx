/** The records in sight, beneath or beside each other; the others only take their place. */
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ListedRecord } from '../gen/documents.ts';
import { accountText } from '../parts/account-name.tsx';
import { session } from '../parts/api.ts';
import { isRefused } from '../parts/records.ts';
import { useCell } from '../state/cell.ts';
import { t } from '../texts/language.ts';
import { type ListOrder, ORDERED_MAX, orderRows } from './list-order.ts';
import { lastVisit, listed } from './listed.ts';
import { RecordRow, RefusedRecordRow } from './record-row.tsx';
import { choose, selection } from './selection.ts';
import { useListKeys } from './use-list-keys.ts';
import type { Records } from './use-records.ts';
import { type ListView, useWindow } from './use-window.ts';

/** So many rows are loaded before the reader reaches them. */
const ROWS_AHEAD = 12;

interface RowsProps {
  records: Records;
  view: ListView;
  order: ListOrder;
  isFiltered: boolean;
}

export function Rows({ records, view, order, isFiltered }: RowsProps): JSX.Element | null {
  const ref = useRef<HTMLUListElement>(null);
  const chosen = useCell(selection);
  const account = session.get()?.account ?? null;
  const senderOf = ({ accountId, accountName }: ListedRecord): string =>
    accountId === String(account?.id) ? '' : accountText(accountId, accountName);
  const rows = useMemo(() => orderRows(records.shown, order), [records.shown, order]);
  const seen = useWindow(ref, rows.length, view);
  const { first, last, columns, lineHeight } = seen;
  const { active, takeFocus } = useListKeys(ref, rows, seen);
  const [since] = useState(lastVisit);
  useEffect(() => {
    const identifiers = rows.filter((row) => !isRefused(row)).map(({ identifier }) => identifier);
    listed.set({ identifiers, path: `${location.pathname}${location.search}` });
  }, [rows]);
  useEffect(() => {
    const { length } = rows;
    // The list loads the first page by itself.
    const isNear = order === 'newest' ? last >= length - ROWS_AHEAD : length < ORDERED_MAX;
    if (length > 0 && isNear && records.hasMore) records.loadMore();
    // A filter that finds little would look through the whole account by itself: there the reader asks.
  }, [last, rows.length, order, isFiltered || records.isLoading]);
  if (rows.length === 0) return null;
  return (
    <ul
      class={`rows ${view}`}
      aria-label={t('records')}
      {...{ ref }}
      style={{
        height: `${Math.ceil(rows.length / columns) * lineHeight}px`,
        paddingTop: `${Math.floor(first / columns) * lineHeight}px`,
        ...(view === 'grid' ? { gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` } : {}),
      }}
    >
      {rows
        .slice(first, last)
        .map((row, offset) =>
          isRefused(row) ? (
            <RefusedRecordRow key={row.identifier} {...{ row }} />
          ) : (
            <RecordRow
              key={row.identifier}
              record={row}
              sender={senderOf(row)}
              index={first + offset}
              isActive={first + offset === active}
              isNew={since !== null && row.createdAt > since}
              isChosen={chosen.has(row.identifier)}
              onChoose={(isOn) => choose([row], isOn)}
              onFocus={() => takeFocus(first + offset)}
            />
          ),
        )}
    </ul>
  );
}

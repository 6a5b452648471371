/** The records in sight, beneath or beside each other; the others only take their place. */

import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import type { ListedRecord } from '../gen/documents.ts';
import { accountText } from '../parts/account-name.tsx';
import { session } from '../parts/api.ts';
import { resultPath } from '../parts/paths.ts';
import { isRefused, type ListRow } from '../parts/records.ts';
import { isTyping } from '../parts/typing.ts';
import { useCell } from '../state/cell.ts';
import { t } from '../texts/language.ts';
import { type ListOrder, ORDERED_MAX, orderRows } from './list-order.ts';
import { lastVisit, listed } from './listed.ts';
import { RecordRow, RefusedRecordRow } from './record-row.tsx';
import { choose, selection, toggle } from './selection.ts';
import type { Records } from './use-records.ts';
import { type ListView, useWindow, type Window } from './use-window.ts';

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

interface ListKeys {
  /** Index of the row that the keys are on; -1 before the first of them. */
  active: number;
  /** The reader went to the row by other means: a click, or Tab. */
  takeFocus: (index: number) => void;
}

/** The list by keys alone: j and k go on and back, Enter opens, o opens beside, x chooses. */
function useListKeys(
  list: { current: HTMLElement | null },
  rows: readonly ListRow[],
  { first, last, columns, lineHeight }: Window,
): ListKeys {
  const [active, setActive] = useState(-1);
  const [, navigate] = useLocation();
  /** The row that the last key led to, until it has the focus. */
  const toFocus = useRef(-1);
  const isFocusing = useRef(false);
  // Keys may come faster than the page is drawn: the next key goes on from here.
  const place = useRef(-1);
  const latest = useRef(rows);
  latest.current = rows;
  const go = (index: number): void => {
    place.current = index;
    setActive(index);
  };

  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (isTyping(event)) return;
      const [at, now] = [place.current, latest.current];
      const row = now[at];
      if (event.key === 'j' || event.key === 'k') {
        toFocus.current = Math.max(0, Math.min(now.length - 1, at + (event.key === 'j' ? 1 : -1)));
        go(toFocus.current);
      } else if (row !== undefined && !isRefused(row)) {
        if (event.key === 'x') toggle(row);
        else if (event.key === 'o') open(resultPath(row.identifier), '_blank', 'noopener');
        // On a link or a button the browser knows what Enter means.
        else if (event.key === 'Enter' && event.target === document.body)
          navigate(resultPath(row.identifier));
        else return;
      } else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);

  useEffect(() => {
    if (active < 0 || toFocus.current !== active) return;
    const link = list.current?.querySelector<HTMLElement>(`[data-index="${active}"] a`);
    if (link) {
      toFocus.current = -1;
      isFocusing.current = true;
      link.focus({ preventScroll: true });
      isFocusing.current = false;
      link.closest('li')?.scrollIntoView({ block: 'nearest' });
      return;
    }
    // The row is not drawn yet: scrolling moves the window, which runs this effect again.
    const top = (list.current?.getBoundingClientRect().top ?? 0) + scrollY;
    scrollTo({ top: top + Math.floor(active / columns) * lineHeight - innerHeight / 2 });
  }, [active, first, last]);
  return { active, takeFocus: (index) => isFocusing.current || go(index) };
}

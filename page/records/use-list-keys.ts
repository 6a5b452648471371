/** The list by keys alone: j and k go on and back, Enter opens, o opens beside, x chooses. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { resultPath } from '../parts/paths.ts';
import { isRefused, type ListRow } from '../parts/records.ts';
import { isTyping } from '../parts/typing.ts';
import { toggle } from './selection.ts';
import type { Window } from './use-window.ts';

export interface ListKeys {
  /** Index of the row that the keys are on; -1 before the first of them. */
  active: number;
  /** The reader went to the row by other means: a click, or Tab. */
  takeFocus: (index: number) => void;
}

export function useListKeys(
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

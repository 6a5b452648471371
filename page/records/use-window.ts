/** Which rows of a long list are in sight, and a few beyond: only those are drawn. */
import { useEffect, useState } from 'preact/hooks';

/** `rows`: one beneath the other; `grid`: as many beside each other as fit. As in records.css, in rem. */
export const LAYOUTS = {
  rows: { height: 4.75, width: null },
  grid: { height: 15.5, width: 12 },
} as const;
export type ListView = keyof typeof LAYOUTS;

const LINES_BEYOND = 6;

export interface Window {
  /** Index of the first row that is drawn, and of the first that is not any more. */
  first: number;
  last: number;
  columns: number;
  /** Height of a line in pixels. */
  lineHeight: number;
}

const START: Window = { first: 0, last: 30, columns: 1, lineHeight: 76 };

export function useWindow(ref: { current: HTMLElement | null }, count: number, view: ListView): Window {
  const [place, setPlace] = useState(START);
  useEffect(() => {
    const measure = (): void => {
      const next = windowOf(ref.current, count, view);
      setPlace((before) => (isSame(before, next) ? before : next));
    };
    measure();
    addEventListener('scroll', measure, { passive: true });
    addEventListener('resize', measure);
    return () => {
      removeEventListener('scroll', measure);
      removeEventListener('resize', measure);
    };
  }, [count, view]);
  return place;
}

function windowOf(element: HTMLElement | null, count: number, view: ListView): Window {
  // Rows grow with the size of letters.
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const { height, width } = LAYOUTS[view];
  const lineHeight = height * rem;
  const { top = 0, width: place = innerWidth } = element?.getBoundingClientRect() ?? {};
  const columns = width === null ? 1 : Math.max(1, Math.floor(place / (width * rem)));
  const lines = Math.ceil(count / columns);
  const firstLine = Math.max(0, Math.floor(-top / lineHeight) - LINES_BEYOND);
  const lastLine = Math.min(lines, Math.ceil((innerHeight - top) / lineHeight) + LINES_BEYOND);
  return {
    first: Math.min(count, firstLine * columns),
    last: Math.min(count, Math.max(0, lastLine) * columns),
    columns,
    lineHeight,
  };
}

function isSame(one: Window, other: Window): boolean {
  return (
    one.first === other.first &&
    one.last === other.last &&
    one.columns === other.columns &&
    one.lineHeight === other.lineHeight
  );
}

/** A part of a result that stays folded until it is wanted: by its heading, by the links above, by its address. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';

/** In the order in which the page shows them. */
export const ANCHORS = [
  'finding',
  'sign-off',
  'facts',
  'seen-before',
  'similar',
  'why',
  'models',
  'marks',
  'provenance',
  'limits',
  'file',
  'custody',
  'record',
] as const;
export type Anchor = (typeof ANCHORS)[number];

interface FoldProps {
  anchor: Anchor;
  title: string;
  /** A part that waits for the reader is open. */
  isOpen?: boolean;
  /** A function is called when the part is first shown, so that costly content is not made before. */
  children: ComponentChildren | (() => JSX.Element);
}

export function Fold({ anchor, title, isOpen = false, children }: FoldProps): JSX.Element {
  const [isShown, setShown] = useState(isOpen || location.hash === `#${anchor}`);
  const id = useId();
  const ref = useRef<HTMLElement>(null);
  const wasShown = useRef(false);
  wasShown.current ||= isShown;
  const content = typeof children === 'function' ? wasShown.current && children() : children;
  useEffect(() => {
    const follow = (): void => {
      if (location.hash === `#${anchor}`) setShown(true);
    };
    // Every part is open on paper.
    const print = (): void => ref.current?.querySelector('details')?.setAttribute('open', '');
    addEventListener('hashchange', follow);
    addEventListener('beforeprint', print);
    return () => {
      removeEventListener('hashchange', follow);
      removeEventListener('beforeprint', print);
    };
  }, [anchor]);
  return (
    <section class="panel fold" id={anchor} aria-labelledby={id} {...{ ref }}>
      <details open={isShown} onToggle={({ currentTarget }) => setShown(currentTarget.open)}>
        <summary>
          <h2 {...{ id }}>{title}</h2>
        </summary>
        <div class="fold-body">{content}</div>
      </details>
    </section>
  );
}

/** Leads to a part and opens it, even if the address names it already. */
export function FoldLink({ anchor, children }: { anchor: Anchor; children: ComponentChildren }): JSX.Element {
  return (
    <a
      href={`#${anchor}`}
      onClick={() => {
        if (location.hash === `#${anchor}`) dispatchEvent(new HashChangeEvent('hashchange'));
      }}
    >
      {children}
    </a>
  );
}

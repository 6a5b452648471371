/** A value that components follow: what must outlive a page (session, language, uploads) lives in one of these. */
import { useEffect, useState } from 'preact/hooks';

export class Cell<T> {
  #value: T;
  readonly #followers = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get(): T {
    return this.#value;
  }

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const follow of [...this.#followers]) follow();
  }

  follow(follower: () => void): () => void {
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }
}

export function useCell<T>(cell: Cell<T>): T {
  const [, redraw] = useState({});
  const seen = cell.get();
  useEffect(() => {
    // It may have changed between the drawing and this moment.
    if (!Object.is(seen, cell.get())) redraw({});
    return cell.follow(() => redraw({}));
  }, [cell]);
  return seen;
}

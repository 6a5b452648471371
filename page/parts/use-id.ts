/** Ties a label to its field. */
import { useState } from 'preact/hooks';

let last = 0;

export function useId(): string {
  const [id] = useState(() => {
    last += 1;
    return `f${last}`;
  });
  return id;
}

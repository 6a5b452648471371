/**
 * Gives back the memory of chunks while they are young. Bytes outside the heap count towards its growth, and
 * a heap that may grow little is marked as a whole for every few chunks: twice the time of receiving them,
 * six times that of sending. A collection of the young alone takes a millisecond.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Less than what makes the runtime mark everything, more than what makes the small collections themselves expensive. */
const COLLECT_EVERY_BYTES = 16 * 1024 ** 2;

type Collect = (options: { type: 'minor' }) => void;

let collect: Collect | undefined;
let spentBytes = 0;

/** Counts the bytes of all files in transfer together: they share the heap. */
export function noteSpent(bytes: number): void {
  spentBytes += bytes;
  if (spentBytes < COLLECT_EVERY_BYTES) return;
  spentBytes = 0;
  collect ??= findCollect();
  collect({ type: 'minor' });
}

function findCollect(): Collect {
  // The heap, some 60 MB in an idle daemon, may double before all of it is marked.
  setFlagsFromString('--heap-growing-percent=100');
  setFlagsFromString('--expose-gc');
  const found: unknown = runInNewContext('gc');
  // A runtime without `gc` works, but harder.
  return typeof found === 'function' ? (found as Collect) : () => undefined;
}

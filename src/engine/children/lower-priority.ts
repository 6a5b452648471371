/** Decoding and inference yield to the daemon if processors are short: its answers take milliseconds, their work seconds. */
import type { ChildProcess } from 'node:child_process';
import { getPriority, setPriority } from 'node:os';

/** Nice 5 (sched(7)): a third of the daemon's share while both want the same core, all of it otherwise. */
export const NICENESS = 5;

/** Call it at once, since threads take the niceness of the one that starts them (setpriority(2), on Linux). */
export function lowerPriority({ pid }: ChildProcess): void {
  // The child did not start; its `error` event says so.
  if (pid === undefined) return;
  // A unit may have a higher niceness of its own, which only root may lower, and the models must start all the same.
  if (getPriority(pid) < NICENESS) setPriority(pid, NICENESS);
}

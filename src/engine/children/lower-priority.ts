/** Decoding and inference yield to the daemon if processors are short: its answers take milliseconds, their work seconds. */
import type { ChildProcess } from 'node:child_process';
import { getPriority, setPriority } from 'node:os';

/** Nice 5 (sched(7)): a third of the daemon's share while both want the same core, all of it otherwise. */
export const NICENESS = 5;

/** To be called at once, since threads take the niceness of the one that starts them (setpriority(2), on Linux). */
export function lowerPriority({ pid }: ChildProcess): void {
  // Not started: its `error` says so.
  if (pid === undefined) return;
  // A unit with a higher niceness of its own: only root may take it back, and without models the daemon is never ready.
  if (getPriority(pid) < NICENESS) setPriority(pid, NICENESS);
}

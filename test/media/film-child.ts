/** The decode child that makes a film: the only kind that has lowered its priority to the last. */
import { constants, getPriority } from 'node:os';
import { childrenOf } from '../faults/rounds/processes.ts';

export function filmChildOf(daemonPid: number, except: ReadonlySet<number> = new Set()): number | undefined {
  return childrenOf(daemonPid).decode.find((pid) => !except.has(pid) && isLowered(pid));
}

function isLowered(pid: number): boolean {
  try {
    return getPriority(pid) === constants.priority.PRIORITY_LOW;
  } catch {
    return false;
  }
}

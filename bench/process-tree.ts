/** A process and all that it started, as the kernel tells of them. Linux only, like the daemon. */
import { readdirSync, readFileSync } from 'node:fs';

/** USER_HZ: fixed on Linux x64, whatever the kernel's own tick. */
const TICKS_PER_SECOND = 100;
const MIB_KIB = 1024;

export function treeOf(pid: number): number[] {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
    return [pid, ...children.flatMap(treeOf)];
  } catch {
    return []; // Ended between the look and the read.
  }
}

/** Anonymous memory of one process in MiB; 0 if it is gone. */
export function rssAnonOf(pid: number): number {
  return mebibytesOf(`/proc/${pid}/status`, /^RssAnon:\s+(\d+) kB$/m);
}

/** Memory of one process in MiB, what it shares with others divided among them; 0 if it is gone. */
export function pssOf(pid: number): number {
  return mebibytesOf(`/proc/${pid}/smaps_rollup`, /^Pss:\s+(\d+) kB$/m);
}

function mebibytesOf(path: string, line: RegExp): number {
  try {
    return Number(line.exec(readFileSync(path, 'utf8'))?.[1] ?? 0) / MIB_KIB;
  } catch {
    return 0;
  }
}

/** Processor time of the tree, user and system, with that of children that have ended and were waited for. */
export function processorSecondsOf(pid: number): number {
  return treeOf(pid).reduce((sum, member) => {
    const { own, ended } = processorTimeOf(member);
    return sum + own + ended;
  }, 0);
}

/** Seconds of the process itself, and of its children that have ended and were waited for; none if it is gone. */
export function processorTimeOf(pid: number): { own: number; ended: number } {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may hold blanks and brackets; fields 14 to 17 are user, system and the same of children (proc(5)).
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number);
    return {
      own: (user + system) / TICKS_PER_SECOND,
      ended: (endedUser + endedSystem) / TICKS_PER_SECOND,
    };
  } catch {
    return { own: 0, ended: 0 };
  }
}

/** Finds a child that SIGSTOP or a debugger stopped, long before its deadline; only the kernel knows it from a busy one. */
import { readdirSync, readFileSync } from 'node:fs';

const LOOK_MS = 2000;
/** Longer than a debugger or a snapshot stops a process. */
const STOPPED_MS_MAX = 10_000;

/** Calls `onStopped` once the child, or what runs behind its wall, has stood still for STOPPED_MS_MAX. */
export function watchPulse(pid: number | undefined, onStopped: () => void): Disposable {
  let stoppedMs = 0;
  const timer = setInterval(() => {
    stoppedMs = isStopped(pid) ? stoppedMs + LOOK_MS : 0;
    if (stoppedMs < STOPPED_MS_MAX) return;
    clearInterval(timer);
    onStopped();
  }, LOOK_MS).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Whether the process, or one that it started, is stopped now. */
export function isStopped(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // A program's name may hold brackets, so the state follows the last one; T or t means stopped (proc(5)).
    return /^\) [Tt]/.test(stat.slice(stat.lastIndexOf(')'))) || childrenOf(pid).some(isStopped);
  } catch {
    // It has ended since, or the kernel shows nothing of it: the deadline then finds it.
    return false;
  }
}

function childrenOf(pid: number): number[] {
  const threads = readdirSync(`/proc/${pid}/task`);
  const children = threads.flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' '),
  );
  return children.filter(Boolean).map(Number);
}

/** Finds a daemon's children as the kernel sees them, whatever wall stands around them. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

export interface ChildProcesses {
  /** Node itself, inside any wall. */
  decode: number[];
  inference: number[];
}

export function childrenOf(daemonPid: number): ChildProcesses {
  const all = descendantsOf(daemonPid);
  return { decode: innermost(all, 'decode'), inference: innermost(all, 'inference') };
}

export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** 0 where it is gone. */
export function parentOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Memory that is the process' own, not the page cache's. */
export function rssAnonBytes(pid: number): number {
  const match = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match?.[1] ?? Number.NaN) * 1024;
}

/** Node processes whose last argument is the script. A wall has it too: stopped while childless, it outlives its parent. */
function innermost(pids: readonly number[], script: string): number[] {
  const entry = new RegExp(`/(worker/${script}\\.ts|build/[0-9a-f]+/${script}\\.js)$`);
  return pids.filter((pid) => {
    const command = commandOf(pid);
    const isNode = basename(command[0] ?? '') === basename(process.execPath);
    return isNode && entry.test(command.at(-1) ?? '') && directChildrenOf(pid).length === 0;
  });
}

function descendantsOf(pid: number): number[] {
  return directChildrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

function directChildrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

function commandOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean);
  } catch {
    return [];
  }
}

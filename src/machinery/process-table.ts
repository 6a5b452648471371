/** Memory, time and age of processes, as the kernel reports them in /proc. */
import { readdir, readFile } from 'node:fs/promises';

export interface ProcessFigures {
  /** Anonymous memory, descendants included. */
  rssAnonBytes: number;
  /** User and system time, descendants included. */
  cpuSeconds: number;
  ageSeconds: number;
}

interface Entry {
  parent: number;
  cpuTicks: number;
  startTicks: number;
}

/** USER_HZ: fixed on Linux x64, whatever the kernel's own tick. */
const TICKS_PER_SECOND = 100;
const BYTES_PER_KIB = 1024;

/** A snapshot of all processes of this box that can be seen. */
export class ProcessTable {
  readonly #entries: ReadonlyMap<number, Entry>;
  readonly #uptimeSeconds: number;

  private constructor(entries: ReadonlyMap<number, Entry>, uptimeSeconds: number) {
    this.#entries = entries;
    this.#uptimeSeconds = uptimeSeconds;
  }

  static async read(): Promise<ProcessTable> {
    const entries = new Map<number, Entry>();
    for (const name of await readdir('/proc')) {
      if (!/^\d+$/.test(name)) continue;
      const entry = await readEntry(name);
      if (entry !== undefined) entries.set(Number(name), entry);
    }
    const uptime = Number((await readFile('/proc/uptime', 'utf8')).split(' ')[0]);
    return new ProcessTable(entries, uptime);
  }

  /** Undefined if the process is gone. A decoder runs below the process that isolates it, so descendants count too. */
  async figuresOf(pid: number, isWithChildren: boolean): Promise<ProcessFigures | undefined> {
    const own = this.#entries.get(pid);
    if (own === undefined) return undefined;
    const members = isWithChildren ? [pid, ...this.#descendants(pid)] : [pid];
    let rssAnonBytes = 0;
    let ticks = 0;
    for (const member of members) {
      rssAnonBytes += await readRssAnon(member);
      ticks += this.#entries.get(member)?.cpuTicks ?? 0;
    }
    const ageSeconds = Math.max(0, this.#uptimeSeconds - own.startTicks / TICKS_PER_SECOND);
    return { rssAnonBytes, cpuSeconds: ticks / TICKS_PER_SECOND, ageSeconds };
  }

  #descendants(pid: number): number[] {
    const children = [...this.#entries].flatMap(([child, { parent }]) => (parent === pid ? [child] : []));
    return children.flatMap((child) => [child, ...this.#descendants(child)]);
  }
}

/** A process may end between two looks; that is no fault. */
async function readEntry(pid: string): Promise<Entry | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name in brackets may hold blanks and brackets; numbers begin behind the last one (proc(5)).
  const [, parent, , , , , , , , , , user, system, , , , , , , start] = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ');
  if (start === undefined) return undefined;
  return { parent: Number(parent), cpuTicks: Number(user) + Number(system), startTicks: Number(start) };
}

/** Bytes of anonymous memory of one process; 0 if it is gone. */
export async function readRssAnon(pid: number | 'self'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kib = /^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1];
  return Number(kib ?? 0) * BYTES_PER_KIB;
}

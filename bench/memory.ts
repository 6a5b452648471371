/** Anonymous memory of a process and all that it started, as the kernel counts it. Linux only, like the daemon. */
import { readdirSync, readFileSync } from 'node:fs';

const SAMPLE_MS = 100;
const MIB_KIB = 1024;

export interface MemoryMib {
  daemon: number;
  tree: number;
}

export function readMemory(pid: number): MemoryMib {
  const tree = treeOf(pid).reduce((sum, process) => sum + rssAnonOf(process), 0);
  return { daemon: rssAnonOf(pid), tree };
}

/** Samples until disposed; a spike between two samples goes unseen. */
export class MemoryPeak implements Disposable {
  readonly peak: MemoryMib = { daemon: 0, tree: 0 };
  readonly #timer: NodeJS.Timeout;

  constructor(pid: number) {
    this.#timer = setInterval(() => {
      const { daemon, tree } = readMemory(pid);
      this.peak.daemon = Math.max(this.peak.daemon, daemon);
      this.peak.tree = Math.max(this.peak.tree, tree);
    }, SAMPLE_MS);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

function treeOf(pid: number): number[] {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
    return [pid, ...children.flatMap(treeOf)];
  } catch {
    return []; // Ended between the look and the read.
  }
}

function rssAnonOf(pid: number): number {
  try {
    const match = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return Number(match?.[1] ?? 0) / MIB_KIB;
  } catch {
    return 0;
  }
}

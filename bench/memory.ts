/** Memory of the daemon, alone and with all that it started: idle, and the highest of samples. */
import { pssOf, rssAnonOf, treeOf } from './process-tree.ts';

const SAMPLE_MS = 100;
/** The kernel walks every page for it. */
const PSS_SAMPLE_MS = 500;

export interface MemoryMib {
  /** Anonymous memory. */
  daemon: number;
  tree: number;
  /** Memory of the tree; what its processes share is counted once. */
  pss: number;
}

export function readMemory(pid: number): MemoryMib {
  return { ...readAnonymous(pid), pss: readPss(pid) };
}

function readAnonymous(pid: number): Pick<MemoryMib, 'daemon' | 'tree'> {
  return { daemon: rssAnonOf(pid), tree: treeOf(pid).reduce((sum, member) => sum + rssAnonOf(member), 0) };
}

function readPss(pid: number): number {
  return treeOf(pid).reduce((sum, member) => sum + pssOf(member), 0);
}

/** Samples until disposed; a spike between two samples goes unseen. */
export class MemoryPeak implements Disposable {
  readonly peak: MemoryMib = { daemon: 0, tree: 0, pss: 0 };
  readonly #timers: NodeJS.Timeout[];

  /** Without `hasPss` the shared memory is 0: counting it would keep the kernel busy for a daemon that maps gigabytes. */
  constructor(pid: number, { hasPss = true } = {}) {
    const sampleAnonymous = () => {
      const { daemon, tree } = readAnonymous(pid);
      this.peak.daemon = Math.max(this.peak.daemon, daemon);
      this.peak.tree = Math.max(this.peak.tree, tree);
    };
    const samplePss = () => {
      this.peak.pss = Math.max(this.peak.pss, readPss(pid));
    };
    this.#timers = [setInterval(sampleAnonymous, SAMPLE_MS)];
    if (hasPss) this.#timers.push(setInterval(samplePss, PSS_SAMPLE_MS));
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers) clearInterval(timer);
  }
}

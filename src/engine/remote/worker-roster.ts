/** The workers on other boxes that were heard of, what they are and how they do; in memory. */
import type { Hello } from './messages.ts';

export interface WorkerStatus {
  name: string;
  version: string;
  packs: Hello['packs'];
  places: number;
  running: number;
  done: number;
  failed: number;
  /** Its clock less ours, seconds, with the way of one message in it. */
  clockOffsetSeconds: number;
  isDraining: boolean;
  /** Whether it was heard of within the last three of its hellos. */
  isHere: boolean;
  /** Why it gets no work; null where it does. */
  refusal: string | null;
}

type Known = Omit<WorkerStatus, 'running' | 'isHere'> & {
  heardAt: number;
  /** Why nothing that it says is taken any more. */
  distrust: string | null;
};

/** Each says hello so often. */
export const HELLO_INTERVAL_MS = 2000;
/** Names cost memory; nobody has so many boxes. */
const WORKERS_MAX = 1000;

export class WorkerRoster {
  readonly #workers = new Map<string, Known>();

  /** Until it is forgotten or the daemon starts anew. */
  distrust(name: string, reason: string): void {
    const known = this.#workers.get(name);
    if (known !== undefined) Object.assign(known, { distrust: reason, refusal: reason });
  }

  hear(name: string, said: Hello, { refusal, now }: { refusal: string | null; now: number }): void {
    const known = this.#workers.get(name);
    if (known === undefined && this.#workers.size >= WORKERS_MAX) return;
    const { version, packs, places, isDraining, clock } = said;
    this.#workers.set(name, {
      ...{ name, version, packs, places, isDraining },
      ...{ refusal: known?.distrust ?? refusal, distrust: known?.distrust ?? null },
      ...{ done: known?.done ?? 0, failed: known?.failed ?? 0 },
      clockOffsetSeconds: Math.round((clock - now) / 1000) / 1000,
      heardAt: performance.now(),
    });
  }

  count(name: string, what: 'done' | 'failed'): void {
    const known = this.#workers.get(name);
    if (known !== undefined) known[what] += 1;
  }

  /** Whether it may be given work now. */
  isAccepted(name: string): boolean {
    const known = this.#workers.get(name);
    return known !== undefined && known.refusal === null && !known.isDraining;
  }

  list(runningOf: (name: string) => number): WorkerStatus[] {
    return Array.from(this.#workers.values(), ({ heardAt, distrust: _, ...known }) => ({
      ...known,
      running: runningOf(known.name),
      isHere: performance.now() - heardAt < 3 * HELLO_INTERVAL_MS,
    }));
  }

  /** Analyses that the workers that are here take at once. */
  places(): number {
    const takers = this.list(() => 0).filter(({ name, isHere }) => isHere && this.isAccepted(name));
    return takers.reduce((sum, { places }) => sum + places, 0);
  }
}

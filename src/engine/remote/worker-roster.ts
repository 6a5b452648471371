/** The workers on other boxes that were heard of, what they are and how they do; in memory, but for who is drained. */
import type { Clock } from '../../domain/clock.ts';
import type { Hello, Welcome } from './messages.ts';

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
  /** It is stopping. */
  isDraining: boolean;
  /** An administrator lets it take no work. */
  isDrained: boolean;
  /** Whether it was heard of within the last three of its hellos. */
  isHere: boolean;
  /** Why it gets no work; null where it does, or where it only is drained. */
  refusal: string | null;
}

type Known = Omit<WorkerStatus, 'running' | 'isHere' | 'isDrained'> & {
  heardAt: number;
  /** Why nothing that it says is taken any more. */
  distrust: string | null;
};

/** What the store knows of them. */
export interface DrainedNames {
  isDrainedWorker(name: string): boolean;
  drainedWorkers(): string[];
}

export type WorkerState = 'here' | 'draining' | 'drained' | 'refused' | 'away';

/** Each says hello so often. */
export const HELLO_INTERVAL_MS = 2000;
/** Names cost memory; nobody has so many boxes. */
const WORKERS_MAX = 1000;
/** In a sentence; all of them are in the list. */
const NAMED_MAX = 5;

/** One word for each, the one that an administrator has to act on first. */
export function workerState({ refusal, isDrained, isHere, isDraining }: WorkerStatus): WorkerState {
  if (isDrained) return 'drained';
  if (refusal !== null) return 'refused';
  if (!isHere) return 'away';
  return isDraining ? 'draining' : 'here';
}

export class WorkerRoster {
  readonly #drained: DrainedNames;
  readonly #clock: Pick<Clock, 'elapsedMs'>;
  readonly #workers = new Map<string, Known>();

  constructor(drained: DrainedNames, clock: Pick<Clock, 'elapsedMs'>) {
    this.#drained = drained;
    this.#clock = clock;
  }

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
      heardAt: this.#clock.elapsedMs(),
    });
  }

  forget(name: string): void {
    this.#workers.delete(name);
  }

  count(name: string, what: 'done' | 'failed'): void {
    const known = this.#workers.get(name);
    if (known !== undefined) known[what] += 1;
  }

  /** Why it is to ask for no work now. */
  wordTo(name: string): Pick<Welcome, 'refusal' | 'isDrained'> {
    const known = this.#workers.get(name);
    const refusal = known === undefined ? `more than ${WORKERS_MAX} workers were heard of` : known.refusal;
    return { refusal, isDrained: this.#drained.isDrainedWorker(name) };
  }

  /** Whether it may be given work now. */
  isAccepted(name: string): boolean {
    const known = this.#workers.get(name);
    if (known === undefined || known.refusal !== null || known.isDraining) return false;
    return !this.#drained.isDrainedWorker(name);
  }

  /** Those that were heard of, and those that are drained. */
  list(runningOf: (name: string) => number): WorkerStatus[] {
    const heard = Array.from(this.#workers.values(), ({ heardAt, distrust: _, ...known }) => ({
      ...{ ...known, running: runningOf(known.name) },
      isDrained: this.#drained.isDrainedWorker(known.name),
      isHere: this.#clock.elapsedMs() - heardAt < 3 * HELLO_INTERVAL_MS,
    }));
    const silent = this.#drained.drainedWorkers().filter((name) => !this.#workers.has(name));
    return [...heard, ...silent.map((name) => ({ ...NEVER_HEARD, name }))];
  }

  /** Analyses that the workers that are here take at once. */
  places(): number {
    const takers = this.list(() => 0).filter(({ name, isHere }) => isHere && this.isAccepted(name));
    return takers.reduce((sum, { places }) => sum + places, 0);
  }

  /** Why none of them takes work. */
  describeAbsence(): string {
    const known = this.list(() => 0);
    if (known.length === 0) return 'no worker was heard of since the daemon started';
    const named = known.slice(0, NAMED_MAX).map((worker) => `${worker.name} is ${workerState(worker)}`);
    const more = known.length > NAMED_MAX ? ` and ${known.length - NAMED_MAX} more` : '';
    return `no worker takes work: ${named.join(', ')}${more}`;
  }
}

const NEVER_HEARD: Omit<WorkerStatus, 'name'> = {
  ...{ version: '', packs: [], places: 0, running: 0, done: 0, failed: 0, clockOffsetSeconds: 0 },
  ...{ isDraining: false, isDrained: true, isHere: false, refusal: null },
};

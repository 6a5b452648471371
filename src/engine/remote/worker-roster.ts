/** The known workers on other boxes, with their state; in memory, except which are drained. */
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
  /** Its clock minus ours in seconds, including one message's travel. */
  clockOffsetSeconds: number;
  /** It is stopping. */
  isDraining: boolean;
  /** An administrator lets it take no work. */
  isDrained: boolean;
  /** Whether it was heard of within its last three hellos. */
  isHere: boolean;
  /** Why it gets no work; null if it does, or if it only is drained. */
  refusal: string | null;
}

type Known = Omit<WorkerStatus, 'running' | 'isHere' | 'isDrained'> & {
  heardAt: number;
  setAside: SetAside | null;
};

/** A worker that sent impossible results, and gets no work for a while. */
interface SetAside {
  reason: string;
  /** By the clock's elapsed milliseconds; afterwards it gets work again. */
  untilMs: number;
  /** Times in a row: each lasts twice as long. */
  times: number;
}

export interface DrainedNames {
  isDrainedWorker(name: string): boolean;
  drainedWorkers(): string[];
}

export type WorkerState = 'here' | 'draining' | 'drained' | 'refused' | 'away';

export const HELLO_INTERVAL_MS = 2000;
/** Bounds the memory for names; no one has so many boxes. */
const WORKERS_MAX = 1000;
/** A worker that lies costs one lease each time; a sound one that was misjudged comes back by itself. */
const SET_ASIDE_MS_MIN = 10 * 60_000;
const SET_ASIDE_MS_MAX = 24 * 3_600_000;
/** Together with the time it is a sentence that a worker may be sent (`messages.ts`). */
const REASON_MAX = 400;
/** Names in a sentence; the list has all of them. */
const NAMED_MAX = 5;

/** One word for each: the state that an administrator has to act on first. */
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

  /** Gives it no work for ten minutes, and twice as long each further time in a row. `now` in microseconds since 1970 UTC. */
  setAside(name: string, reason: string, now: number): void {
    const known = this.#workers.get(name);
    if (known === undefined) return;
    const times = (known.setAside?.times ?? 0) + 1;
    const lastsMs = Math.min(SET_ASIDE_MS_MAX, SET_ASIDE_MS_MIN * 2 ** (times - 1));
    const until = new Date(now / 1000 + lastsMs).toISOString().slice(0, 19);
    const sentence = `${reason.slice(0, REASON_MAX)}; it is given work again at ${until}Z`;
    known.setAside = { reason: sentence, untilMs: this.#clock.elapsedMs() + lastsMs, times };
  }

  /** Undoes a set-aside for a fault that another worker showed as well. */
  restore(name: string): void {
    const known = this.#workers.get(name);
    if (known !== undefined) known.setAside = null;
  }

  hear(name: string, said: Hello, { refusal, now }: { refusal: string | null; now: number }): void {
    const known = this.#workers.get(name);
    if (known === undefined && this.#workers.size >= WORKERS_MAX) return;
    const { version, packs, places, isDraining, clock } = said;
    this.#workers.set(name, {
      name,
      version,
      packs,
      places,
      isDraining,
      refusal,
      setAside: known?.setAside ?? null,
      done: known?.done ?? 0,
      failed: known?.failed ?? 0,
      clockOffsetSeconds: Math.round((clock - now) / 1000) / 1000,
      heardAt: this.#clock.elapsedMs(),
    });
  }

  forget(name: string): void {
    this.#workers.delete(name);
  }

  count(name: string, what: 'done' | 'failed'): void {
    const known = this.#workers.get(name);
    if (known === undefined) return;
    known[what] += 1;
    if (what === 'done') known.setAside = null;
  }

  /** Why it gets no work at present. */
  wordTo(name: string): Pick<Welcome, 'refusal' | 'isDrained'> {
    const known = this.#workers.get(name);
    const refusal =
      known === undefined
        ? `more than ${WORKERS_MAX} workers were heard of`
        : refusalOf(known, this.#clock.elapsedMs());
    return { refusal, isDrained: this.#drained.isDrainedWorker(name) };
  }

  isAccepted(name: string): boolean {
    const known = this.#workers.get(name);
    if (known === undefined || refusalOf(known, this.#clock.elapsedMs()) !== null || known.isDraining)
      return false;
    return !this.#drained.isDrainedWorker(name);
  }

  /** The known and the drained workers. */
  list(runningOf: (name: string) => number): WorkerStatus[] {
    const heard = Array.from(this.#workers.values(), ({ heardAt, setAside, ...known }) => ({
      ...known,
      refusal: refusalOf({ ...known, setAside }, this.#clock.elapsedMs()),
      running: runningOf(known.name),
      isDrained: this.#drained.isDrainedWorker(known.name),
      isHere: this.#clock.elapsedMs() - heardAt < 3 * HELLO_INTERVAL_MS,
    }));
    const silent = this.#drained.drainedWorkers().filter((name) => !this.#workers.has(name));
    return [...heard, ...silent.map((name) => ({ ...NEVER_HEARD, name }))];
  }

  /** Analyses that the present workers take at once. */
  slots(): number {
    const takers = this.list(() => 0).filter(({ name, isHere }) => isHere && this.isAccepted(name));
    return takers.reduce((sum, { places }) => sum + places, 0);
  }

  describeAbsence(): string {
    const known = this.list(() => 0);
    if (known.length === 0) return 'no worker was heard of since the daemon started';
    const named = known.slice(0, NAMED_MAX).map((worker) => `${worker.name} is ${workerState(worker)}`);
    const more = known.length > NAMED_MAX ? ` and ${known.length - NAMED_MAX} more` : '';
    return `no worker takes work: ${named.join(', ')}${more}`;
  }
}

function refusalOf(
  { refusal, setAside }: Pick<Known, 'refusal' | 'setAside'>,
  elapsedMs: number,
): string | null {
  if (setAside === null || elapsedMs >= setAside.untilMs) return refusal;
  return setAside.reason;
}

const NEVER_HEARD: Omit<WorkerStatus, 'name'> = {
  version: '',
  packs: [],
  places: 0,
  running: 0,
  done: 0,
  failed: 0,
  clockOffsetSeconds: 0,
  isDraining: false,
  isDrained: true,
  isHere: false,
  refusal: null,
};

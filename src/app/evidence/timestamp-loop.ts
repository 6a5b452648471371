/**
 * Asks the authorities of time: what is due, one package after the other, the same for every start. It keeps no state of its own,
 * so a kill costs at most a question that is asked again.
 */
import { setTimeout as delay } from 'node:timers/promises';
import {
  afterTimestampAttempt,
  type PackageTimestamps,
  TIMESTAMP_PAUSE_SECONDS_MAX,
  type TimestampAnswer,
} from '../../domain/records/package-timestamps.ts';
import { MICROSECONDS_PER_MS, MICROSECONDS_PER_SECOND } from '../../domain/time.ts';
import type { Core } from '../core.ts';
import { askForTimestamp } from './timestamps.ts';

export interface TimestampLoopParts extends Pick<Core, 'store' | 'clock' | 'log' | 'metrics' | 'config'> {
  /** 0 ≤ x < 1, for the spread of retries. */
  random: () => number;
  /** Tokens of this package have come. */
  onStamped: (packageSha256: string) => void;
}

/** Timers are bounded; an hour is often enough to look at a clock that was set. */
const IDLE_WAIT_MS_MAX = 3_600_000;
/** A store that fails (a full disk) must not be asked in a tight loop. */
const STORE_PAUSE_MS = 5000;

export class TimestampLoop implements AsyncDisposable {
  readonly #parts: TimestampLoopParts;
  readonly #stopped = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> | undefined;
  #isOpen = false;
  #isWoken = false;

  constructor(parts: TimestampLoopParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#isOpen = true;
    this.wake();
  }

  /** Something may be due. Many calls of one moment cost one look. */
  wake(): void {
    this.#isWoken = true;
    if (!this.#isOpen || this.#work !== undefined) return;
    clearTimeout(this.#timer);
    this.#work = this.#askAll().finally(() => {
      this.#work = undefined;
      if (this.#isWoken) this.wake();
      else this.#setTimer();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOpen = false;
    clearTimeout(this.#timer);
    this.#stopped.abort();
    await this.#work;
  }

  /** Never rejects. */
  async #askAll(): Promise<void> {
    this.#isWoken = false;
    try {
      for (const packageSha256 of this.#due()) {
        if (this.#stopped.signal.aborted) return;
        const found = this.#parts.store.read.timestampsOf(packageSha256);
        if (found !== undefined) await this.#ask(found);
      }
    } catch (error) {
      const { signal } = this.#stopped;
      if (signal.aborted) return;
      this.#parts.log.error({ err: error }, 'what authorities of time answered could not be written down');
      await delay(STORE_PAUSE_MS, undefined, { signal }).catch(() => {});
    }
  }

  /** A wait that is longer than any pause is that of a clock that was ahead: it is over. */
  #due(): string[] {
    const { store, clock } = this.#parts;
    const now = clock.now();
    const latest = now + TIMESTAMP_PAUSE_SECONDS_MAX * MICROSECONDS_PER_SECOND;
    return [...store.read.timestampsDue()].flatMap(({ dueAt, packageSha256 }) =>
      dueAt <= now || dueAt > latest ? packageSha256 : [],
    );
  }

  async #ask(found: PackageTimestamps): Promise<void> {
    const { store, clock, config, random, onStamped } = this.#parts;
    const { packageSha256, signature } = found;
    const waiting = found.requests.filter(({ state }) => state === 'waiting');
    const answered = waiting.map(async ({ authority }) => {
      const answer = await askForTimestamp(config, authority, signature, this.#stopped.signal);
      return [authority, answer] as const;
    });
    const answers = new Map(await Promise.all(answered));
    const next = await store.transact((tx) => {
      const current = tx.timestampsOf(packageSha256);
      // The last of its records was deleted meanwhile.
      if (current === undefined) return undefined;
      const made = afterTimestampAttempt(current, answers, clock.now(), random());
      tx.putTimestamps(made);
      return made;
    });
    if (next !== undefined) this.#tell(next, answers);
    if ([...answers.values()].some((answer) => 'reply' in answer)) onStamped(packageSha256);
  }

  #tell({ packageSha256, requests }: PackageTimestamps, answers: ReadonlyMap<string, TimestampAnswer>): void {
    const { log, metrics } = this.#parts;
    for (const { authority, state, error } of requests) {
      if (!answers.has(authority)) continue;
      metrics.timestamps.inc({ outcome: state === 'waiting' ? 'retried' : state });
      const about = { authority, package: packageSha256, ...(error === '' ? {} : { error }) };
      if (state === 'stamped') log.info(about, 'an authority of time has stamped a package');
      else if (state === 'waiting') log.warn(about, 'an authority of time gave no token; it is asked again');
      else log.error(about, 'an authority of time gave no token for a week; it is not asked any more');
    }
  }

  #setTimer(): void {
    if (!this.#isOpen) return;
    const [next] = this.#parts.store.read.timestampsDue();
    if (next === undefined) return;
    const untilDueMs = Math.max(0, (next.dueAt - this.#parts.clock.now()) / MICROSECONDS_PER_MS);
    this.#timer = setTimeout(() => this.wake(), Math.ceil(Math.min(untilDueMs, IDLE_WAIT_MS_MAX))).unref();
  }
}

/**
 * Who may use a decode slot next. Analyses share `slots`; probes, whose callers wait, may use any of them and
 * `probeSlotsMin` more, and go first unless analyses have stood behind them for too long. Renditions have
 * slots of their own, since a film may take an hour. Accounts take turns; one slot beyond all others is for
 * probes of an account that has none under way, since two dozen slow files would hold up everyone's
 * submissions.
 */
import { AccountTurns } from '../../machinery/turns/account-turns.ts';
import { AbortError, SlotBusyError } from '../children/worker-errors.ts';

/** In the order in which they are served. */
export const SLOT_PURPOSES = ['probe', 'analysis', 'rendition'] as const;
export type SlotPurpose = (typeof SLOT_PURPOSES)[number];
const ANALYSES_FIRST: readonly SlotPurpose[] = ['analysis', 'probe', 'rendition'];

/** One for those that take seconds, one for those that take minutes. */
const RENDITION_SLOTS = 2;

export interface WaitOptions {
  signal?: AbortSignal | undefined;
  /** Past it the wait ends in SlotBusyError; without it there is no bound. */
  waitTimeoutMs?: number | undefined;
  /** The account; work without one shares the turns of a nameless account. */
  accountId?: number | undefined;
}

/** While probes wait without end, one analysis per interval gets a slot, as one begins per interval. */
const ANALYSIS_SLOT_EVERY_MS = 1000;

/** Reserved for probes of an account that has none under way. */
const OTHERS_PROBE_SLOTS = 1;

const NO_ACCOUNT = 0;

interface Waiter {
  id: string;
  purpose: SlotPurpose;
  accountId: number;
  resolve: () => void;
  reject: (error: Error) => void;
}

interface SlotQueueConfig {
  slots: number;
  probeSlotsMin: number;
  /** Milliseconds that never go back; the process' own if it is absent. */
  elapsedMs?: () => number;
}

export class SlotQueue {
  readonly #slots: number;
  readonly #probeSlotsMin: number;
  readonly #elapsedMs: () => number;
  readonly #running: Record<SlotPurpose, number> = { probe: 0, analysis: 0, rendition: 0 };
  /** Probes under way, by account. */
  readonly #probes = new Map<number, number>();
  /** In the order of arrival. */
  readonly #waiters = new Map<string, Waiter>();
  readonly #turns: Record<SlotPurpose, AccountTurns> = {
    probe: new AccountTurns(),
    analysis: new AccountTurns(),
    rendition: new AccountTurns(),
  };
  #arrivals = 0;
  /** Since when no waiting analysis got a slot; unused while none waits. */
  #behindSinceMs = 0;

  constructor({ slots, probeSlotsMin, elapsedMs = () => performance.now() }: SlotQueueConfig) {
    this.#slots = slots;
    this.#probeSlotsMin = probeSlotsMin;
    this.#elapsedMs = elapsedMs;
  }

  get running(): Readonly<Record<SlotPurpose, number>> {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiters.size;
  }

  /** Resolves when a slot may be used; the result gives it back. */
  async acquire(purpose: SlotPurpose, options: WaitOptions): Promise<Disposable> {
    if (options.signal?.aborted) throw new AbortError(options.signal);
    const { accountId = NO_ACCOUNT } = options;
    if (this.#isFree(purpose, accountId)) this.#count(purpose, accountId, 1);
    else await this.#wait(purpose, accountId, options);
    return { [Symbol.dispose]: () => this.#release(purpose, accountId) };
  }

  rejectAll(error: Error): void {
    for (const waiter of [...this.#waiters.values()]) {
      this.#forget(waiter);
      waiter.reject(error);
    }
  }

  async #wait(purpose: SlotPurpose, accountId: number, options: WaitOptions): Promise<void> {
    const { signal, waitTimeoutMs } = options;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#arrivals += 1;
    const waiter: Waiter = { id: String(this.#arrivals), purpose, accountId, resolve, reject };
    const leave = (error: Error) => {
      this.#forget(waiter);
      reject(error);
    };
    const busy = () => leave(new SlotBusyError(`no decoder came free within ${waitTimeoutMs} ms`));
    const onAbort = () => signal && leave(new AbortError(signal));
    const timer = waitTimeoutMs === undefined ? undefined : setTimeout(busy, waitTimeoutMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (purpose === 'analysis' && !this.#isWaiting('analysis')) this.#behindSinceMs = this.#elapsedMs();
    this.#waiters.set(waiter.id, waiter);
    this.#turns[purpose].add(waiter.id, accountId);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    }
  }

  #isFree(purpose: SlotPurpose, accountId: number): boolean {
    const { probe, analysis, rendition } = this.#running;
    if (purpose === 'rendition') return rendition < RENDITION_SLOTS;
    const isForOthers = purpose === 'probe' && !this.#probes.has(accountId);
    const slots = this.#slots + this.#probeSlotsMin + (isForOthers ? OTHERS_PROBE_SLOTS : 0);
    if (probe + analysis >= slots) return false;
    return purpose === 'probe' || analysis < this.#slots;
  }

  #count(purpose: SlotPurpose, accountId: number, change: 1 | -1): void {
    this.#running[purpose] += change;
    if (purpose !== 'probe') return;
    const probes = (this.#probes.get(accountId) ?? 0) + change;
    if (probes === 0) this.#probes.delete(accountId);
    else this.#probes.set(accountId, probes);
  }

  #release(purpose: SlotPurpose, accountId: number): void {
    this.#count(purpose, accountId, -1);
    for (;;) {
      const next = this.#next();
      if (next === undefined) return;
      this.#count(next.purpose, next.accountId, 1);
      next.resolve();
    }
  }

  /** The next waiter of the purpose that goes first among those with a free slot, from the account whose turn it is. */
  #next(): Waiter | undefined {
    for (const purpose of this.#order()) {
      const id = this.#turns[purpose].take((accountId) => this.#isFree(purpose, accountId));
      const next = id === undefined ? undefined : this.#waiters.get(id);
      if (next === undefined) continue;
      this.#waiters.delete(next.id);
      if (purpose === 'analysis') this.#behindSinceMs = this.#elapsedMs();
      return next;
    }
    return undefined;
  }

  #order(): readonly SlotPurpose[] {
    const isOverdue = this.#elapsedMs() - this.#behindSinceMs >= ANALYSIS_SLOT_EVERY_MS;
    return isOverdue ? ANALYSES_FIRST : SLOT_PURPOSES;
  }

  #isWaiting(purpose: SlotPurpose): boolean {
    return this.#turns[purpose].isWaiting;
  }

  #forget({ id, purpose, accountId }: Waiter): void {
    if (this.#waiters.delete(id)) this.#turns[purpose].remove(id, accountId);
  }
}

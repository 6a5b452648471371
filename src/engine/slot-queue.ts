/**
 * Who may use a decode slot next. Analyses share `slots`; probes may use any of them, and `probeSlotsMin` more
 * that no analysis can take, because somebody waits for the answer of a probe. Renditions have slots of their own and
 * no others: a film that takes an hour must not hold up an analysis. First come, first served otherwise.
 */
import { AbortError, SlotBusyError } from './worker-errors.ts';

export const SLOT_PURPOSES = ['probe', 'analysis', 'rendition'] as const;
export type SlotPurpose = (typeof SLOT_PURPOSES)[number];

/** One for what takes seconds, one for what takes minutes. */
const RENDITION_SLOTS = 2;

export interface WaitOptions {
  signal?: AbortSignal | undefined;
  /** Past it the wait ends in SlotBusyError; without it one waits as long as it takes. */
  waitTimeoutMs?: number | undefined;
}

interface Waiter {
  purpose: SlotPurpose;
  resolve: () => void;
  reject: (error: Error) => void;
}

export class SlotQueue {
  readonly #slots: number;
  readonly #probeSlotsMin: number;
  readonly #running: Record<SlotPurpose, number> = { probe: 0, analysis: 0, rendition: 0 };
  readonly #waiters: Waiter[] = [];

  constructor({ slots, probeSlotsMin }: { slots: number; probeSlotsMin: number }) {
    this.#slots = slots;
    this.#probeSlotsMin = probeSlotsMin;
  }

  get running(): Readonly<Record<SlotPurpose, number>> {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiters.length;
  }

  /** Resolves when a slot may be used; the result gives it back. */
  async acquire(purpose: SlotPurpose, { signal, waitTimeoutMs }: WaitOptions): Promise<Disposable> {
    if (signal?.aborted) throw new AbortError(signal);
    if (this.#isFree(purpose)) this.#running[purpose] += 1;
    else await this.#wait(purpose, signal, waitTimeoutMs);
    return { [Symbol.dispose]: () => this.#release(purpose) };
  }

  /** Ends every wait. */
  rejectAll(error: Error): void {
    for (const waiter of this.#waiters.splice(0)) waiter.reject(error);
  }

  async #wait(purpose: SlotPurpose, signal?: AbortSignal, waitTimeoutMs?: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { purpose, resolve, reject };
    const leave = (error: Error) => {
      const index = this.#waiters.indexOf(waiter);
      if (index >= 0) this.#waiters.splice(index, 1);
      reject(error);
    };
    const busy = () => leave(new SlotBusyError(`no decoder came free within ${waitTimeoutMs} ms`));
    const onAbort = () => signal && leave(new AbortError(signal));
    const timer = waitTimeoutMs === undefined ? undefined : setTimeout(busy, waitTimeoutMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#waiters.push(waiter);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    }
  }

  #isFree(purpose: SlotPurpose): boolean {
    const { probe, analysis, rendition } = this.#running;
    if (purpose === 'rendition') return rendition < RENDITION_SLOTS;
    if (probe + analysis >= this.#slots + this.#probeSlotsMin) return false;
    return purpose === 'probe' || analysis < this.#slots;
  }

  #release(purpose: SlotPurpose): void {
    this.#running[purpose] -= 1;
    for (;;) {
      const index = this.#waiters.findIndex((waiter) => this.#isFree(waiter.purpose));
      const [next] = index < 0 ? [] : this.#waiters.splice(index, 1);
      if (next === undefined) return;
      this.#running[next.purpose] += 1;
      next.resolve();
    }
  }
}

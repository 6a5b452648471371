/** Time by parameter, so that the simulator can let a day pass in a millisecond; `machinery/system-clock.ts` is real time. */

/** A call that is still to come. */
export interface Alarm {
  /** Prevents the call; does nothing after it. */
  cancel(): void;
}

export interface Clock {
  /** Microseconds since 1970 UTC, strictly increasing within a process. */
  now(): number;
  /** Milliseconds since some start, for measuring durations: setting the clock does not change it. */
  elapsedMs(): number;
  /** Calls once, after so many milliseconds. Keeps no process alive. */
  after(milliseconds: number, call: () => void): Alarm;
  /** Calls in a turn of its own, after all that is ready now. */
  soon(call: () => void): void;
}

/** Resolves when the time has passed, or at once when the signal aborts. Never rejects. */
export async function pause(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const alarm = clock.after(milliseconds, resolve);
  const onAbort = () => resolve();
  signal?.addEventListener('abort', onAbort);
  await promise;
  alarm.cancel();
  // A signal that lives as long as the daemon must not gather a listener for each pause.
  signal?.removeEventListener('abort', onAbort);
}

/** A signal that aborts with a TimeoutError after a time. Dispose it when the wait is over. */
export function deadline(clock: Clock, milliseconds: number): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const expire = () => controller.abort(new DOMException(`no end within ${milliseconds} ms`, 'TimeoutError'));
  const alarm = clock.after(milliseconds, expire);
  return { signal: controller.signal, [Symbol.dispose]: () => alarm.cancel() };
}

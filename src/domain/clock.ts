/**
 * Time as the daemon sees it: what it is, how it passes, and who is called later. Everything that waits gets it by
 * parameter, so that the simulator can let a day pass in a millisecond. It says what a clock does; `machinery/system-clock.ts`
 * is the machine's.
 */

/** A call that is still to come. */
export interface Alarm {
  /** The call does not come any more; after it came this changes nothing. */
  cancel(): void;
}

export interface Clock {
  /** Microseconds since 1970 UTC, strictly increasing within a process. */
  now(): number;
  /** Milliseconds since some start. Measures how long something takes: a clock that is set does not show. */
  elapsedMs(): number;
  /** Calls once, when so many milliseconds have passed. Keeps no process alive. */
  after(milliseconds: number, call: () => void): Alarm;
  /** Calls in a turn of its own, once what is ready now has run. */
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

/** A signal that aborts with a TimeoutError when the time has passed. Dispose it once no one waits for it. */
export function deadline(clock: Clock, milliseconds: number): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const expire = () => controller.abort(new DOMException(`no end within ${milliseconds} ms`, 'TimeoutError'));
  const alarm = clock.after(milliseconds, expire);
  return { signal: controller.signal, [Symbol.dispose]: () => alarm.cancel() };
}

import type { Clock } from '../domain/clock.ts';
import { MICROSECONDS_PER_MS } from '../domain/time.ts';

/** Its `now` grows with each call, so that no two records share a position in a list. */
export function systemClock(): Clock {
  let last = 0;
  return {
    now() {
      const now = Math.round((performance.timeOrigin + performance.now()) * MICROSECONDS_PER_MS);
      last = Math.max(last + 1, now);
      return last;
    },
    elapsedMs: () => performance.now(),
    after(milliseconds, call) {
      const timer = setTimeout(call, milliseconds).unref();
      return { cancel: () => clearTimeout(timer) };
    },
    soon(call) {
      setImmediate(call);
    },
  };
}

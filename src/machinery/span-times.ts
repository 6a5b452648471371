/** When something was done, for traces. Apart from the exporter, which is loaded only if traces are wanted. */

export interface SpanTimes {
  /** Milliseconds since 1970 UTC, with fractions. */
  startedAt: number;
  endedAt: number;
}

/** Milliseconds since 1970 UTC, with fractions: spans are shorter than the system clock's step. */
export const epochMs = (): number => performance.timeOrigin + performance.now();

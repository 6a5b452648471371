/** When something was done, for traces: apart from what sends them, which is loaded only for an operator who wants it. */

export interface SpanTimes {
  /** Milliseconds since 1970 UTC, with fractions. */
  startedAt: number;
  endedAt: number;
}

/** Milliseconds since 1970 UTC, with fractions: spans are shorter than the clock's own step. */
export function epochMs(): number {
  return performance.timeOrigin + performance.now();
}

/** Times are whole microseconds since 1970 UTC, exact in a double until the year 2255. */

export const MICROSECONDS_PER_MS = 1000;
export const MICROSECONDS_PER_SECOND = 1_000_000;
export const MICROSECONDS_PER_DAY = 24 * 3600 * MICROSECONDS_PER_SECOND;

/** The years 1 to 9999, which ISO 8601 and the protocols can write. */
const TIME_MIN = Date.parse('0001-01-01T00:00:00Z') * MICROSECONDS_PER_MS;
const TIME_MAX = Date.parse('9999-12-31T23:59:59.999Z') * MICROSECONDS_PER_MS;

/** ISO 8601 in UTC with microseconds, as docs/interface.md shows times: `2026-01-31T08:15:00.123456Z`. */
export function formatTime(microseconds: number): string {
  const milliseconds = Math.floor(microseconds / MICROSECONDS_PER_MS);
  const rest = String(microseconds - milliseconds * MICROSECONDS_PER_MS).padStart(3, '0');
  return new Date(milliseconds).toISOString().replace('Z', `${rest}Z`);
}

/** ISO 8601 with a zone, as formatTime writes it or with fewer digits; undefined if it is no such time. */
export function parseTime(text: string): number | undefined {
  const parts = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?)(?:\.(\d{1,6})\d*)?(Z|[+-]\d\d:\d\d)$/.exec(text);
  if (parts === null) return undefined;
  const [, whole = '', fraction = '', zone = ''] = parts;
  // Rejects 30 February and 24:00, which JavaScript moves to the next day.
  const written = Date.parse(`${whole}Z`);
  if (Number.isNaN(written) || !new Date(written).toISOString().startsWith(whole)) return undefined;
  const milliseconds = Date.parse(`${whole}${zone}`);
  const time = milliseconds * MICROSECONDS_PER_MS + Number(fraction.padEnd(6, '0'));
  return isTime(time) ? time : undefined;
}

/** Whether it is a moment of these years; fractions and NaN are not. */
export function isTime(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= TIME_MIN && (value as number) <= TIME_MAX;
}

/** Null for a moment outside these years, as a certificate may state. */
export function timeOfMs(milliseconds: number): number | null {
  const time = milliseconds * MICROSECONDS_PER_MS;
  return isTime(time) ? time : null;
}

/** Seconds and nanoseconds since 1970 UTC, as protobuf's Timestamp holds a time. */
export interface SplitTime {
  seconds: bigint;
  nanos: number;
}

export function toTimestamp(microseconds: number): SplitTime {
  const seconds = Math.floor(microseconds / MICROSECONDS_PER_SECOND);
  return {
    seconds: BigInt(seconds),
    nanos: (microseconds - seconds * MICROSECONDS_PER_SECOND) * 1000,
  };
}

/** Microseconds since 1970; further digits are dropped. */
export function fromTimestamp({ seconds, nanos }: SplitTime): number {
  return Number(seconds) * MICROSECONDS_PER_SECOND + Math.floor(nanos / 1000);
}

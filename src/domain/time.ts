/** Times are whole microseconds since 1970 UTC, exact in a double until the year 2255. */

export const MICROSECONDS_PER_MS = 1000;
export const MICROSECONDS_PER_SECOND = 1_000_000;
export const MICROSECONDS_PER_DAY = 24 * 3600 * MICROSECONDS_PER_SECOND;

/** ISO 8601 in UTC with microseconds, as interface.md shows times: `2026-01-31T08:15:00.123456Z`. */
export function formatTime(microseconds: number): string {
  const milliseconds = Math.floor(microseconds / MICROSECONDS_PER_MS);
  const rest = String(microseconds - milliseconds * MICROSECONDS_PER_MS).padStart(3, '0');
  return new Date(milliseconds).toISOString().replace('Z', `${rest}Z`);
}

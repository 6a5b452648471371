/** Times are whole microseconds since 1970 UTC, exact in a double until the year 2255. */

/** ISO 8601 in UTC with microseconds, as interface.md shows times: `2026-01-31T08:15:00.123456Z`. */
export function formatTime(microseconds: number): string {
  const milliseconds = Math.floor(microseconds / 1000);
  const rest = String(microseconds - milliseconds * 1000).padStart(3, '0');
  return new Date(milliseconds).toISOString().replace('Z', `${rest}Z`);
}

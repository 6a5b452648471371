/** Pages of lines from the newest down; the next one begins before the last line seen. */
import { parseWhole } from '../app/field-parsers.ts';
import type { PageNotes } from './operation.ts';

/** The cursor of an earlier page, under the facade's own name of the field; undefined for the first page. */
export function parseLineNumber(
  fields: Readonly<Record<string, unknown>>,
  field: string,
): number | undefined {
  return parseWhole(fields, field, 1, Number.MAX_SAFE_INTEGER);
}

export function cursorOf(line: object, { cursor }: PageNotes): string {
  return String((line as Readonly<Record<string, unknown>>)[cursor]);
}

/** Undefined after the last of all lines. */
export function nextCursorOf(lines: readonly object[], page: PageNotes, limit: number): string | undefined {
  const last = lines.at(-1);
  if (last === undefined) return undefined;
  const cursor = cursorOf(last, page);
  const hasMore = page.first === undefined ? lines.length >= limit : Number(cursor) > page.first;
  return hasMore ? cursor : undefined;
}

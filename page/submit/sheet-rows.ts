/** A sheet of addresses as the page reads it: CSV with a head line, or JSON Lines, whole in the browser's memory. */
import { FORMATS } from '../../src/domain/media/formats.ts';
import type { MediaKind } from '../gen/documents.ts';

/** More than a person looks through on a page; the command line takes any number. */
export const SHEET_ROWS_MAX = 1000;
/** Kept in memory several times while it is read. */
export const SHEET_BYTES_MAX = 5 * 1024 ** 2;
const SOURCE_COLUMNS = ['source', 'url', 'address', 'file_url', 'source_url', 'link'];

export interface PageSheet {
  head: readonly string[];
  column: string;
  rows: readonly { cells: readonly string[]; source: string }[];
}

export type SheetFault = 'sheetTooLong' | 'sheetNoColumn';

export const isSheet = ({ name }: { name: string }): boolean => /\.(csv|jsonl|ndjson)$/i.test(name);

/** Throws if the text is no such sheet. */
export async function readSheet(file: File): Promise<PageSheet | SheetFault> {
  if (file.size > SHEET_BYTES_MAX) return 'sheetTooLong';
  const text = await file.text();
  const table = /\.csv$/i.test(file.name) ? await readCsv(text) : readJsonLines(text);
  const [head = [], ...rows] = table;
  if (rows.length > SHEET_ROWS_MAX) return 'sheetTooLong';
  const at = findColumn(head);
  if (at < 0) return 'sheetNoColumn';
  const named = rows.map((cells) => ({ cells, source: (cells[at] ?? '').trim() }));
  return { head, column: head[at] ?? '', rows: named };
}

function findColumn(head: readonly string[]): number {
  const names = head.map((name) => name.trim().toLowerCase());
  for (const name of SOURCE_COLUMNS) if (names.includes(name)) return names.indexOf(name);
  return head.length === 1 ? 0 : -1;
}

/** The parser is loaded when there is a sheet. */
async function readCsv(text: string): Promise<string[][]> {
  const { parse } = await import('csv-parse/browser/esm/sync');
  const [line = ''] = text.split(/\r?\n/, 1);
  const countOf = (delimiter: string): number => line.split(delimiter).length;
  const delimiter = [',', ';', '\t'].reduce((best, one) => (countOf(one) > countOf(best) ? one : best));
  const options = { bom: true, delimiter, skip_empty_lines: true, relax_column_count_less: true };
  return parse(text, options) as unknown as string[][];
}

function readJsonLines(text: string): string[][] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const objects = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const head = [...new Set(objects.flatMap((one) => Object.keys(one)))];
  const cellOf = (value: unknown): string =>
    typeof value === 'string' ? value : JSON.stringify(value ?? '');
  return [head, ...objects.map((one) => head.map((name) => (name in one ? cellOf(one[name]) : '')))];
}

/** Guesses the kind by the address, since the daemon wants it named before it fetches. */
export function kindOfAddress(address: string): MediaKind {
  const path = URL.canParse(address) ? new URL(address).pathname : address;
  const [, ending = ''] = /\.([a-z0-9]+)$/i.exec(path) ?? [];
  const format = FORMATS.find(({ extensions }) => extensions.includes(ending.toLowerCase()));
  const [kind = 'image'] = Object.keys(format?.kinds ?? {});
  return kind.toUpperCase() as MediaKind;
}

/** Reads a sheet of addresses or paths row by row: CSV with a head, or JSON Lines, one row in memory at a time. */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { CsvError, parse } from 'csv-parse';
import { codeOf } from '../../domain/error-code.ts';
import { CliFailure, EXIT_CODES } from '../terminal/failure.ts';

/** A longer line is not a row of a sheet. */
const ROW_BYTES_MAX = 1024 * 1024;
/** Names that a column of sources usually has, the likeliest first. */
const SOURCE_COLUMNS = [
  'source',
  'url',
  'address',
  'file_url',
  'source_url',
  'link',
  'path',
  'file',
  'filename',
];

export interface SheetRow {
  /** From 0 on. */
  index: number;
  /** An address or a path; empty if the row has none. */
  source: string;
  /** Cells of a CSV row, in the order of the head. */
  cells: readonly string[];
  /** Fields of a row of JSON Lines. */
  fields: Readonly<Record<string, unknown>>;
}

export interface Sheet {
  format: 'csv' | 'jsonl';
  delimiter: string;
  /** Empty for JSON Lines. */
  head: readonly string[];
  /** The column or field that holds the source. */
  column: string;
  rows: () => AsyncGenerator<SheetRow>;
}

/** Throws a CliFailure that says what was expected of the sheet and what was found. */
export async function openSheet(path: string, column: string | undefined): Promise<Sheet> {
  if (/\.(jsonl|ndjson)$/i.test(path)) return await openJsonLines(path, column);
  const delimiter = await findDelimiter(path);
  const lines = readCsv(path, delimiter);
  const first = await lines.next();
  await lines.return(undefined);
  if (first.done === true)
    throw usage(`${path}: expected a head line with the names of the columns, found nothing`);
  const head = first.value;
  const found = findColumn(path, head, column);
  const at = head.indexOf(found);
  const rows = async function* (): AsyncGenerator<SheetRow> {
    let index = -1;
    for await (const cells of readCsv(path, delimiter)) {
      if (index >= 0) yield { index, source: (cells[at] ?? '').trim(), cells, fields: {} };
      index += 1;
    }
  };
  return { format: 'csv', delimiter, head, column: found, rows };
}

async function openJsonLines(path: string, column: string | undefined): Promise<Sheet> {
  const lines = readJsonLines(path);
  const first = await lines.next();
  await lines.return(undefined);
  const found = findColumn(path, Object.keys(first.value ?? {}), column);
  const rows = async function* (): AsyncGenerator<SheetRow> {
    let index = 0;
    for await (const fields of readJsonLines(path)) {
      const source = fields[found];
      yield { index, source: typeof source === 'string' ? source.trim() : '', cells: [], fields };
      index += 1;
    }
  };
  return { format: 'jsonl', delimiter: '', head: [], column: found, rows };
}

function findColumn(path: string, names: readonly string[], column: string | undefined): string {
  const asked = column === undefined ? SOURCE_COLUMNS : [column.toLowerCase()];
  for (const name of asked) {
    const found = names.find((one) => one.trim().toLowerCase() === name);
    if (found !== undefined) return found;
  }
  const [only] = names;
  if (column === undefined && names.length === 1 && only !== undefined) return only;
  const expected =
    column === undefined ? `one of ${SOURCE_COLUMNS.join(', ')} (or --column)` : `the column ${column}`;
  throw usage(`${path}: expected ${expected}, found ${names.join(', ') || 'no column'}`);
}

const DELIMITERS = [',', ';', '\t'] as const;
const HEAD_BYTES_MAX = 64 * 1024;

/** Spreadsheets in half of Europe separate cells by semicolons. */
async function findDelimiter(path: string): Promise<string> {
  await using file = await open(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  const buffer = Buffer.alloc(HEAD_BYTES_MAX);
  const { bytesRead } = await file.read(buffer, 0, HEAD_BYTES_MAX, 0);
  const [line = ''] = buffer.subarray(0, bytesRead).toString('utf8').split(/\r?\n/, 1);
  const countOf = (delimiter: string): number => line.split(delimiter).length;
  return DELIMITERS.reduce<string>((best, one) => (countOf(one) > countOf(best) ? one : best), ',');
}

export async function* readCsv(path: string, delimiter: string): AsyncGenerator<string[]> {
  const options = { bom: true, delimiter, max_record_size: ROW_BYTES_MAX, skip_empty_lines: true };
  const file = createReadStream(path);
  const parser = parse({ ...options, relax_column_count_less: true });
  file.on('error', (error) => parser.destroy(error));
  try {
    for await (const cells of file.pipe(parser)) yield cells as string[];
  } catch (error) {
    if (error instanceof CsvError) throw usage(`${path}: ${error.message}`);
    throw unreadable(path, error);
  } finally {
    file.destroy();
  }
}

export async function* readJsonLines(path: string): AsyncGenerator<Record<string, unknown>> {
  let number = 0;
  try {
    for await (const line of readLines(path)) {
      number += 1;
      if (line.trim() !== '') yield parseLine(path, number, line);
    }
  } catch (error) {
    throw error instanceof CliFailure ? error : unreadable(path, error);
  }
}

/** Lines of JSON Lines. Node's own reader also breaks a line at U+2028, which JSON leaves as it is within a text. */
export async function* readLines(path: string): AsyncGenerator<string> {
  let begun = '';
  for await (const piece of createReadStream(path, { encoding: 'utf8' }) as AsyncIterable<string>) {
    const lines = (begun + piece).split('\n');
    begun = lines.pop() ?? '';
    yield* lines;
    if (begun.length > 2 * ROW_BYTES_MAX)
      throw usage(`${path}: expected lines of at most ${ROW_BYTES_MAX} characters`);
  }
  if (begun !== '') yield begun;
}

function parseLine(path: string, number: number, line: string): Record<string, unknown> {
  const place = `${path}, line ${number}`;
  if (line.length > ROW_BYTES_MAX) throw usage(`${place}: expected at most ${ROW_BYTES_MAX} characters`);
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // Reported below.
  }
  throw usage(`${place}: expected one JSON object, found ${JSON.stringify(line.slice(0, 40))}`);
}

export const usage = (message: string): CliFailure => new CliFailure(message, EXIT_CODES.usage);

function unreadable(path: string, error: unknown): CliFailure {
  return new CliFailure(`${path}: it cannot be read (${codeOf(error)})`, EXIT_CODES.usage, { cause: error });
}

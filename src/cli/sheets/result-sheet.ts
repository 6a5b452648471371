/** Rows of the input sheet in their order, each with its result. An interrupted run goes on behind the last whole row. */
import { createReadStream } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { CsvError, parse } from 'csv-parse';
import { toCsvLine } from '../../domain/sheets/csv-line.ts';
import { safeCell } from '../../domain/sheets/formula-cell.ts';
import { RESULT_COLUMNS, type RowResult, toCell } from '../../domain/sheets/sheet-columns.ts';
import { readLines, type Sheet, type SheetRow, usage } from './sheet-rows.ts';

const isResultColumn = (name: string): boolean => (RESULT_COLUMNS as readonly string[]).includes(name);

export class ResultSheet implements AsyncDisposable {
  /** Rows that it held when it was opened. */
  readonly doneRows: number;
  readonly #sheet: Sheet;
  readonly #file: FileHandle;
  /** Indexes of the columns that stay; results of an earlier run in the sheet itself are written anew. */
  readonly #kept: readonly number[];

  private constructor(sheet: Sheet, file: FileHandle, doneRows: number) {
    this.#sheet = sheet;
    this.#file = file;
    this.doneRows = doneRows;
    this.#kept = keptColumns(sheet);
  }

  /** Begins it, or goes on behind its last whole row. Throws if it holds the rows of another sheet. */
  static async open(path: string, sheet: Sheet): Promise<ResultSheet> {
    const held = await readHeld(path, sheet);
    const file = await open(path, held === null ? 'w' : 'r+');
    const results = new ResultSheet(sheet, file, held?.rows ?? 0);
    // A row that a kill cut off is written again.
    await file.truncate(held?.bytes ?? 0);
    if (held === null && sheet.format === 'csv')
      await results.#append(toCsvLine(headOf(sheet), sheet.delimiter));
    return results;
  }

  /** Writes in the order of the rows; resolves once the system has the bytes. */
  async write(row: SheetRow, result: RowResult): Promise<void> {
    await this.#append(this.#lineOf(row, result));
  }

  #lineOf({ cells, fields }: SheetRow, result: RowResult): string {
    if (this.#sheet.format === 'jsonl') return `${JSON.stringify({ ...fields, ...result })}\n`;
    const own = this.#kept.map((at) => cells[at] ?? '');
    const added = RESULT_COLUMNS.map((column) => toCell(result[column]));
    return toCsvLine([...own, ...added], this.#sheet.delimiter);
  }

  async #append(text: string): Promise<void> {
    const { size } = await this.#file.stat();
    await this.#file.write(text, size);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.sync().catch(() => undefined);
    await this.#file.close();
  }
}

function keptColumns({ head }: Sheet): number[] {
  return head.flatMap((name, at) => (isResultColumn(name) ? [] : [at]));
}

function headOf(sheet: Sheet): string[] {
  return [...keptColumns(sheet).map((at) => sheet.head[at] ?? ''), ...RESULT_COLUMNS];
}

interface Held {
  /** Whole rows, without the head. */
  rows: number;
  /** Where they end. */
  bytes: number;
}

/** Null if there is nothing to continue. */
async function readHeld(path: string, sheet: Sheet): Promise<Held | null> {
  const found = await stat(path).catch(() => null);
  if (found === null || found.size === 0) return null;
  if (!found.isFile()) throw usage(`${path}: expected a file, found something else`);
  return sheet.format === 'csv' ? await heldCsv(path, sheet) : await heldJson(path, sheet);
}

async function heldCsv(path: string, sheet: Sheet): Promise<Held | null> {
  const bytes = await wholeRowBytes(path);
  if (bytes === 0) return null;
  const expected = sheet.rows();
  const kept = keptColumns(sheet);
  const file = createReadStream(path, { end: bytes - 1 });
  let rows = -1;
  try {
    for await (const cells of file.pipe(parse({ delimiter: sheet.delimiter, relax_column_count: true }))) {
      const own = rows < 0 ? headOf(sheet) : await nextOwn(expected, kept);
      if (own === null || own.some((cell, at) => safeCell(cell) !== cells[at]))
        throw otherSheet(path, rows + 1);
      rows += 1;
    }
  } catch (error) {
    throw error instanceof CsvError ? otherSheet(path, rows + 1) : error;
  } finally {
    file.destroy();
    await expected.return(undefined);
  }
  return { rows, bytes };
}

async function nextOwn(
  expected: AsyncGenerator<SheetRow>,
  kept: readonly number[],
): Promise<string[] | null> {
  const next = await expected.next();
  return next.done === true ? null : kept.map((at) => next.value.cells[at] ?? '');
}

const QUOTE = 0x22;
const LINE_BREAK = 0x0a;

/** The end of the last row that a line break ends: a line break within quotes, which come in pairs, is part of a cell. */
async function wholeRowBytes(path: string): Promise<number> {
  let at = 0;
  let quotes = 0;
  let whole = 0;
  for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
    for (const byte of piece) {
      at += 1;
      if (byte === QUOTE) quotes += 1;
      else if (byte === LINE_BREAK && quotes % 2 === 0) whole = at;
    }
  }
  return whole;
}

async function heldJson(path: string, sheet: Sheet): Promise<Held> {
  const expected = sheet.rows();
  const held: Held = { rows: 0, bytes: 0 };
  const { size } = await stat(path);
  try {
    for await (const line of readLines(path)) {
      const endsAt = held.bytes + Buffer.byteLength(line) + 1;
      if (endsAt > size) break;
      const next = await expected.next();
      if (next.done === true || !isRowOf(line, next.value)) throw otherSheet(path, held.rows + 1);
      held.rows += 1;
      held.bytes = endsAt;
    }
  } finally {
    await expected.return(undefined);
  }
  return held;
}

function isRowOf(line: string, { fields }: SheetRow): boolean {
  try {
    const written = JSON.parse(line) as Record<string, unknown>;
    const own = Object.keys(fields).filter((name) => !isResultColumn(name));
    return own.every((name) => JSON.stringify(written[name]) === JSON.stringify(fields[name]));
  } catch {
    return false;
  }
}

function otherSheet(path: string, row: number): Error {
  return usage(
    `${path}: expected the results of this sheet to go on with, found another row ${row}: name another file`,
  );
}

/** Writes rows in the order of the sheet, whichever ends first. */
import type { RowResult } from '../../domain/sheets/sheet-columns.ts';
import type { ResultSheet } from './result-sheet.ts';
import type { SheetRow } from './sheet-rows.ts';

/** How far rows may be ahead of the first unfinished one: one long film must not pile up the whole sheet. */
export const ROWS_AHEAD_MAX = 256;

export class RowOrder {
  readonly #results: Pick<ResultSheet, 'write'>;
  readonly #interrupted: AbortSignal;
  readonly #ended = new Map<number, { row: SheetRow; result: RowResult }>();
  #next: number;
  #writing: Promise<void> = Promise.resolve();
  #room = Promise.withResolvers<void>();

  constructor(results: Pick<ResultSheet, 'write'>, doneRows: number, interrupted: AbortSignal) {
    this.#results = results;
    this.#next = doneRows;
    this.#interrupted = interrupted;
    interrupted.addEventListener('abort', () => this.#room.resolve(), { once: true });
  }

  /** Rows that are not written yet, none too far ahead. */
  async *admit(rows: AsyncIterable<SheetRow>): AsyncGenerator<SheetRow> {
    const first = this.#next;
    for await (const row of rows) {
      if (row.index < first) continue;
      while (row.index - this.#next >= ROWS_AHEAD_MAX && !this.#interrupted.aborted) await this.#room.promise;
      if (this.#interrupted.aborted) return;
      yield row;
    }
  }

  async finish(row: SheetRow, result: RowResult): Promise<void> {
    this.#ended.set(row.index, { row, result });
    this.#writing = this.#writing.then(() => this.#write());
    await this.#writing;
  }

  async #write(): Promise<void> {
    for (let ended = this.#ended.get(this.#next); ended !== undefined; ended = this.#ended.get(this.#next)) {
      await this.#results.write(ended.row, ended.result);
      this.#ended.delete(this.#next);
      this.#next += 1;
    }
    this.#room.resolve();
    this.#room = Promise.withResolvers<void>();
    if (this.#interrupted.aborted) this.#room.resolve();
  }
}

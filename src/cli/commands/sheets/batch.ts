/** An interrupted run goes on where it stopped. */

import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { toRowResult } from '../../../domain/answers/record-sheet.ts';
import { FORMATS } from '../../../domain/media/formats.ts';
import type { MediaKind } from '../../../domain/media/media.ts';
import { failedRow, type RowResult } from '../../../domain/sheets/sheet-columns.ts';
import { counted, showText } from '../../../domain/shown-text.ts';
import { type Classification, Status } from '../../../grpc/gen/assay/v1/classification_pb.ts';
import { type AssayClient, openClient } from '../../daemon/client.ts';
import { deskOption } from '../../daemon/lookups.ts';
import {
  analysisOptions,
  jobsOption,
  kindOption,
  type SubmitOptions,
  toHeader,
  toProtoKind,
} from '../../daemon/media-options.ts';
import { ResumableUpload } from '../../daemon/resume.ts';
import { ResultSheet } from '../../sheets/result-sheet.ts';
import { openSheet, type SheetRow } from '../../sheets/sheet-rows.ts';
import { forEachBounded } from '../../terminal/bounded.ts';
import { CliFailure, EXIT_CODES } from '../../terminal/failure.ts';
import { printNote, type Terminal } from '../../terminal/terminal.ts';
import { ProgressBars } from '../../views/progress-bars.ts';
import { toSummary } from '../../views/record-row.ts';
import { classifyFile, Interrupted } from '../classify-file.ts';
import { withRetries } from '../retries.ts';

interface BatchOptions extends SubmitOptions {
  output: string;
  column?: string;
  jobs: number;
}

interface Run {
  terminal: Terminal;
  client: AssayClient;
  options: BatchOptions;
  /** Paths in the sheet are relative to its own folder. */
  folder: string;
  bars: ProgressBars;
  interrupted: AbortSignal;
  order: RowOrder;
  counts: { done: number; failed: number };
}

export function addBatchCommand(program: Command, terminal: Terminal): void {
  const batch = program.command('batch').description('sheets of addresses or paths');
  const run = batch
    .command('run')
    .description(
      'judge each row and write the sheet with verdicts; a second run goes on where the first was interrupted',
    )
    .argument('<sheet>', 'CSV with a head line, or JSON Lines (.jsonl, .ndjson)')
    .requiredOption('-o, --output <file>', 'the sheet with verdicts, in the same format')
    .option('--column <name>', 'which column holds the address or path (otherwise found by its name)');
  for (const option of analysisOptions()) run.addOption(option);
  run
    .option('--ref-id <id>', 'reference in your own system, kept with each record')
    .addOption(deskOption('the desk that the records are for; 0: none; by default your first desk'))
    .addOption(new Option('--no-batch', 'do not yield to work that somebody waits for'))
    .option('--no-cache', 'analyse again what was analysed before')
    .addOption(kindOption('what addresses lead to (otherwise read from their ending, else image)'))
    .addOption(jobsOption())
    .action((sheet: string, options: BatchOptions) => runBatch(terminal, sheet, options));
}

async function runBatch(terminal: Terminal, path: string, options: BatchOptions): Promise<void> {
  if (resolve(path) === resolve(options.output)) {
    throw new CliFailure('-o: expected another file than the sheet itself', EXIT_CODES.usage);
  }
  const sheet = await openSheet(path, options.column);
  await using results = await ResultSheet.open(options.output, sheet);
  using client = await openClient(terminal);
  const interrupted = terminal.watchInterrupt();
  using bars = await ProgressBars.open(terminal);
  const order = new RowOrder(results, results.doneRows, interrupted);
  const counts = { done: 0, failed: 0 };
  const run: Run = {
    terminal,
    client,
    options,
    folder: dirname(resolve(path)),
    bars,
    interrupted,
    order,
    counts,
  };
  if (results.doneRows > 0)
    printNote(terminal, `${options.output} holds ${counted(results.doneRows, 'row')}: going on behind them`);
  try {
    await forEachBounded(order.admit(sheet.rows()), options.jobs, (row) => runRow(run, row));
  } finally {
    bars[Symbol.dispose]();
    printOutcome(run);
  }
}

/** Throws only faults that make the other rows pointless. */
async function runRow(run: Run, row: SheetRow): Promise<void> {
  const bar = run.bars.add(showText(basename(row.source) || `row ${row.index + 1}`));
  try {
    const record = await withRetries(run.interrupted, true, () => classifyRow(run, row, bar));
    await finishRow(run, row, toRowResult(toSummary(record)), record.status !== Status.DONE);
  } catch (error) {
    if (error instanceof Interrupted) return;
    if (!(error instanceof CliFailure) || error.isFatal) throw error;
    const line = `row ${row.index + 1}: ${showText(error.message)}`;
    if (!run.bars.log(line)) printNote(run.terminal, line);
    await finishRow(run, row, failedRow(error.message), true);
  } finally {
    bar.remove();
  }
}

async function finishRow(run: Run, row: SheetRow, result: RowResult, isFailed: boolean): Promise<void> {
  run.counts[isFailed ? 'failed' : 'done'] += 1;
  await run.order.finish(row, result);
}

async function classifyRow(
  run: Run,
  row: SheetRow,
  bar: ReturnType<ProgressBars['add']>,
): Promise<Classification> {
  const { client, options, interrupted, terminal } = run;
  if (row.source === '')
    throw new CliFailure('expected an address or a path, found nothing', EXIT_CODES.someFailed);
  const isAddress = /^https?:\/\//i.test(row.source);
  const common = { ...toHeader(options), refId: options.refId ?? '' };
  const { source, known } = isAddress
    ? sourceOfAddress(row.source)
    : await sourceOfPath(run.folder, row.source);
  const requestId = requestIdOf([row.index, row.source, known, options]);
  const kind = isAddress ? toProtoKind(options.kind ?? kindOfAddress(row.source)) : common.kind;
  const header = { ...common, ...(kind === undefined ? {} : { kind }), requestId };
  const upload = new ResumableUpload(client, source);
  const sourceUrl = isAddress ? { sourceUrl: row.source } : {};
  return await classifyFile(client, {
    source,
    upload,
    bar,
    interrupted,
    stdin: terminal.stdin,
    header: { ...header, ...sourceUrl },
  });
}

/** The same row of the same sheet gets the same id, so that another run finds the same record and pays nothing. */
function requestIdOf(what: unknown): string {
  return `batch-${createHash('sha256').update(JSON.stringify(what)).digest('hex')}`;
}

function sourceOfAddress(address: string) {
  const source = { type: 'address' as const, name: '' };
  return { source, known: address };
}

async function sourceOfPath(folder: string, path: string) {
  const whole = resolve(folder, path);
  const found = await stat(whole).catch(() => null);
  if (found === null) throw new CliFailure(`${path}: no such file`, EXIT_CODES.someFailed);
  if (!found.isFile())
    throw new CliFailure(`${path}: expected a file, found something else`, EXIT_CODES.someFailed);
  const source = {
    type: 'file' as const,
    path: whole,
    file: whole,
    name: basename(whole),
    sizeBytes: found.size,
  };
  return { source, known: [found.size, found.mtimeMs] };
}

/** Derived from the address alone: the daemon wants the kind before anything is fetched. */
function kindOfAddress(address: string): MediaKind {
  const path = URL.canParse(address) ? new URL(address).pathname : address;
  const [, ending = ''] = /\.([a-z0-9]+)$/i.exec(path) ?? [];
  const format = FORMATS.find(({ extensions }) => extensions.includes(ending.toLowerCase()));
  const [kind = 'image'] = Object.keys(format?.kinds ?? {}) as MediaKind[];
  return kind;
}

function printOutcome({ terminal, options, counts, interrupted }: Run): void {
  printNote(terminal, `${counts.done} judged, ${counts.failed} failed, in ${options.output}`);
  if (interrupted.aborted) {
    printNote(terminal, 'interrupted: the same command goes on where it was');
    terminal.setExitCode(EXIT_CODES.interrupted);
  } else if (counts.failed > 0) terminal.setExitCode(EXIT_CODES.someFailed);
}

/** How far rows may be ahead of the first unfinished one: one long film must not pile up the whole sheet. */
const ROWS_AHEAD_MAX = 256;

/** Writes rows in the order of the sheet, whichever ends first. */
class RowOrder {
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

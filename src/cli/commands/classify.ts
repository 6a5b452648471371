import type { Command } from 'commander';
import { showText } from '../../domain/shown-text.ts';
import { type Classification, Status } from '../../grpc/gen/assay/v1/classification_pb.ts';
import { type AssayClient, openClient } from '../daemon/client.ts';
import { saveHeatmaps } from '../daemon/heatmap-file.ts';
import { deskOption } from '../daemon/lookups.ts';
import { listMediaSources, type MediaSource, manifestOf } from '../daemon/media-files.ts';
import {
  analysisOptions,
  jobsOption,
  kindOption,
  type SubmitOptions,
  toHeader,
} from '../daemon/media-options.ts';
import { ResumableUpload } from '../daemon/resume.ts';
import type { MediaHeaderInit } from '../daemon/upload.ts';
import { forEachBounded } from '../terminal/bounded.ts';
import { CliFailure, EXIT_CODES } from '../terminal/failure.ts';
import { printLine, printNote, type Terminal } from '../terminal/terminal.ts';
import { ProgressBars } from '../views/progress-bars.ts';
import { describeRecord, toRecordJson } from '../views/record-view.ts';
import { classifyFile, Interrupted } from './classify-file.ts';
import { withRetries } from './retries.ts';

interface ClassifyOptions extends SubmitOptions {
  json?: true;
  jobs: number;
  name: string;
  manifest?: string;
  heatmapDir?: string;
}

interface Run {
  terminal: Terminal;
  client: AssayClient;
  options: ClassifyOptions;
  header: MediaHeaderInit;
  bars: ProgressBars;
  interrupted: AbortSignal;
  rows: string[][];
  counts: { skipped: number; failed: number; goingOn: number; cancelled: number };
}

export function addClassifyCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('classify')
    .description('distinguish human-made media from artificial: upload, wait, print the verdicts')
    .argument('<files...>', 'files, folders (searched for media files), or - for standard input')
    .option('--json', 'one record per line instead of a table');
  for (const option of analysisOptions()) command.addOption(option);
  command
    .option('--heatmap-dir <dir>', 'save the maps there as NAME.heatmap.png, … (implies --with-heatmap)')
    .option(
      '--manifest <file>',
      'C2PA manifest of the one file that is named (otherwise NAME.c2pa beside it)',
    )
    .option('--ref-id <id>', 'reference in your own system, kept with each record')
    .addOption(deskOption('the desk that the records are for; 0: none; by default your first desk'))
    .option('--batch', 'yield to work that somebody waits for')
    .option('--no-cache', 'analyse again what was analysed before')
    .option('--name <name>', 'name of what comes by standard input', 'stdin')
    .addOption(kindOption('what the files are (otherwise read from their content)'))
    .addOption(jobsOption())
    .action((files: string[], options: ClassifyOptions) => classify(terminal, files, options));
}

async function classify(
  terminal: Terminal,
  files: readonly string[],
  options: ClassifyOptions,
): Promise<void> {
  using client = await openClient(terminal);
  const counts = { skipped: 0, failed: 0, goingOn: 0, cancelled: 0 };
  const interrupted = terminal.watchInterrupt();
  using bars = await ProgressBars.open(terminal);
  if (options.heatmapDir !== undefined) options.withHeatmap = true;
  const header = toHeader(options);
  const run: Run = { terminal, client, options, header, bars, interrupted, rows: [], counts };
  assertOneFile(files, options);
  try {
    const sources = untilInterrupted(
      listMediaSources(files, { stdinName: options.name, counts }),
      interrupted,
    );
    await forEachBounded(sources, options.jobs, (source) => classifySource(run, source));
  } finally {
    bars[Symbol.dispose]();
    await printOutcome(run);
  }
}

function assertOneFile(files: readonly string[], { manifest }: ClassifyOptions): void {
  if (manifest === undefined || files.length === 1) return;
  throw new CliFailure('--manifest: it belongs to one file, found several', EXIT_CODES.usage);
}

export async function* untilInterrupted<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  for await (const item of items) {
    if (signal.aborted) return;
    yield item;
  }
}

/** Throws only faults that make the other files pointless. */
async function classifySource(run: Run, source: MediaSource): Promise<void> {
  const startedAt = performance.now();
  const shownName = source.type === 'file' ? source.path : source.name;
  const bar = run.bars.add(source.name);
  try {
    if (source.type === 'missing') throw source.failure;
    const upload = new ResumableUpload(run.client, source);
    const manifest = await manifestOf(source, run.options.manifest);
    const record = await withRetries(run.interrupted, source.type === 'file', () =>
      classifyFile(run.client, {
        upload,
        source,
        header: manifest === undefined ? run.header : { ...run.header, manifest },
        bar,
        stdin: run.terminal.stdin,
        interrupted: run.interrupted,
      }),
    );
    if (record.status !== Status.DONE) run.counts.failed += 1;
    report(run, shownName, record, (performance.now() - startedAt) / 1000);
    if (run.options.heatmapDir !== undefined) {
      await saveHeatmaps(run.client, record, run.options.heatmapDir);
    }
  } catch (error) {
    reportFailure(run, shownName, error);
  } finally {
    bar.remove();
  }
}

function report(run: Run, shownName: string, record: Classification, seconds: number): void {
  if (run.options.json === true) {
    printLine(run.terminal, JSON.stringify({ path: shownName, ...toRecordJson(record) }));
    return;
  }
  const { length, answer, chance, verdict } = describeRecord(record);
  run.rows.push([shownName, length, answer, chance, verdict, seconds.toFixed(1)]);
}

function reportFailure(run: Run, shownName: string, error: unknown): void {
  if (error instanceof Interrupted) {
    if (error.identifier === null) run.counts.cancelled += 1;
    else run.counts.goingOn += 1;
    return;
  }
  if (!(error instanceof CliFailure) || error.isFatal) throw error;
  run.counts.failed += 1;
  const line = `${showText(shownName)}: ${showText(error.message)}`;
  if (!run.bars.log(line)) printNote(run.terminal, line);
  if (run.options.json === true) {
    printLine(run.terminal, JSON.stringify({ path: shownName, error: error.message }));
  } else {
    run.rows.push([shownName, '', 'Failed', '', '', '']);
  }
}

async function printOutcome(run: Run): Promise<void> {
  const { terminal, rows, counts } = run;
  const head = ['name', 'length', 'answer', 'chance of AI', 'for older programs', 'seconds'];
  if (rows.length > 0) {
    const { formatTable } = await import('../views/table.ts');
    printLine(terminal, formatTable(head, rows));
  }
  if (counts.skipped > 0) printNote(terminal, `${counts.skipped} other files in the folders were skipped`);
  if (run.interrupted.aborted) {
    const accepted = counts.goingOn === 0 ? '' : `; ${counts.goingOn} accepted analyses go on (assay list)`;
    printNote(terminal, `interrupted: ${counts.cancelled} uploads cancelled${accepted}`);
    terminal.setExitCode(EXIT_CODES.interrupted);
  } else if (counts.failed > 0) terminal.setExitCode(EXIT_CODES.someFailed);
}

import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import {
  refusedLine,
  SHEET_FORMATS,
  type SheetFormat,
  sheetHead,
  sheetLine,
} from '../../../domain/answers/record-sheet.ts';
import { counted } from '../../../domain/shown-text.ts';
import { type AssayClient, openClient } from '../../daemon/client.ts';
import { toFailure } from '../../terminal/failure.ts';
import { printNote, type Terminal } from '../../terminal/terminal.ts';
import { toSummary } from '../../views/record-row.ts';
import {
  addFilterOptions,
  type FilterOptions,
  isRefused,
  noteRefused,
  readRows,
  toRefused,
} from '../lists/list.ts';

interface ExportOptions extends FilterOptions {
  format: SheetFormat;
  output?: string;
}

export function addExportCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('export')
    .description('write records, newest first, as CSV that a spreadsheet can open, or as JSON Lines')
    .addOption(
      new Option('--format <format>', 'output format')
        .choices(SHEET_FORMATS)
        .default('csv' satisfies SheetFormat),
    )
    .option('-o, --output <file>', 'the file to write instead of standard output');
  addFilterOptions(command).action((options: ExportOptions) => exportRecords(terminal, options));
}

async function exportRecords(terminal: Terminal, options: ExportOptions): Promise<void> {
  using client = await openClient(terminal);
  const { output } = options;
  const counts = { records: 0 };
  const lines = toLines(terminal, client, options, counts);
  try {
    // Waits for the first line, so that a daemon that does not answer does not cost the existing file.
    const { value: first = '' } = await lines.next();
    const target = output === undefined ? terminal.stdout : createWriteStream(output);
    const all = async function* () {
      yield first;
      yield* lines;
    };
    await pipeline(all, target, { end: output !== undefined });
  } catch (error) {
    throw toFailure(error, client.address);
  }
  if (output !== undefined) printNote(terminal, `${counted(counts.records, 'record')} in ${output}`);
}

/** The head is written with the first line. */
async function* toLines(
  terminal: Terminal,
  client: AssayClient,
  { format, ...options }: ExportOptions,
  counts: { records: number },
): AsyncGenerator<string, undefined> {
  let head = sheetHead(format);
  for await (const row of readRows(client, { ...options, limit: 0, all: true })) {
    counts.records += 1;
    if (isRefused(row)) noteRefused(terminal, row);
    yield head + (isRefused(row) ? refusedLine(toRefused(row), format) : sheetLine(toSummary(row), format));
    head = '';
  }
  if (head !== '') yield head;
}

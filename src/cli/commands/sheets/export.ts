/** `assay export`: all records that a filter finds, as a sheet. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import {
  refusedLine,
  SHEET_FORMATS,
  type SheetFormat,
  sheetHead,
  sheetLine,
} from '../../../domain/answers/record-sheet.ts';
import { openClient } from '../../daemon/client.ts';
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
      new Option('--format <format>', 'how').choices(SHEET_FORMATS).default('csv' satisfies SheetFormat),
    )
    .option('-o, --output <file>', 'where to, instead of standard output');
  addFilterOptions(command).action((options: ExportOptions) => exportRecords(terminal, options));
}

async function exportRecords(terminal: Terminal, options: ExportOptions): Promise<void> {
  using client = await openClient(terminal);
  const { format, output } = options;
  const file = output === undefined ? undefined : createWriteStream(output);
  const target = file ?? terminal.stdout;
  let count = 0;
  try {
    if (file !== undefined) await once(file, 'open');
    await write(target, sheetHead(format));
    for await (const row of readRows(client, { ...options, limit: 0, all: true })) {
      await write(
        target,
        isRefused(row) ? refusedLine(toRefused(row), format) : sheetLine(toSummary(row), format),
      );
      if (isRefused(row)) noteRefused(terminal, row);
      count += 1;
    }
    file?.end();
    if (file !== undefined) await finished(file);
  } catch (error) {
    throw toFailure(error, client.address);
  }
  if (output !== undefined) printNote(terminal, `${count} records in ${output}`);
}

/** At the reader's pace: a slow disk or pipe must not pile up a million lines. */
async function write(target: Writable, text: string): Promise<void> {
  if (!target.write(text)) await once(target, 'drain');
}

/** `assay evidence export`: streams the package from the daemon into a file that is complete or absent. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Command } from 'commander';
import { codeOf } from '../../../domain/error-code.ts';
import { EvidenceService } from '../../../grpc/gen/assay/v1/evidence_service_pb.ts';
import { type AssayClient, openClient } from '../../daemon/client.ts';
import { CliFailure, EXIT_CODES, throwIfInterrupted } from '../../terminal/failure.ts';
import { PartialFile } from '../../terminal/partial-file.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { printOutcome } from '../../views/outcome.ts';

interface ExportOptions {
  output?: string;
  title?: string;
  notes?: string;
  notesFile?: string;
  language?: string;
  json?: true;
}

export function addExportCommand(evidence: Command, terminal: Terminal): void {
  evidence
    .command('export')
    .description('write a signed package of one record, or of several as a case')
    .argument('<id...>', 'identifiers of records')
    .option('-o, --output <file>', 'the zip, a new file (assay-evidence-<time>-<what>.zip)')
    .option('--title <text>', 'title of the report')
    .option('--notes <text>', 'your own notes, printed in the report as yours')
    .option('--notes-file <file>', 'the same from a text file')
    .option('--language <language>', 'language of the report: en or it (en)')
    .option('--json', 'where it lies as one line of JSON')
    .action((identifiers: string[], options: ExportOptions) => runExport(terminal, identifiers, options));
}

async function runExport(terminal: Terminal, identifiers: string[], options: ExportOptions): Promise<void> {
  const { title = '', language = '', output } = options;
  const notes = await readNotes(options);
  const signal = terminal.watchInterrupt();
  using client = await openClient(terminal);
  const request = { identifiers, title, notes, language };
  const path = await receive(terminal, client, request, output, signal);
  throwIfInterrupted(signal);
  printOutcome(terminal, options, { path }, path);
}

async function readNotes({ notes, notesFile }: ExportOptions): Promise<string> {
  if (notesFile === undefined) return notes ?? '';
  if (notes !== undefined) throw new CliFailure('give --notes or --notes-file, not both', EXIT_CODES.usage);
  try {
    return await readFile(notesFile, 'utf8');
  } catch (error) {
    throw new CliFailure(`${notesFile} cannot be read: ${codeOf(error)}`, EXIT_CODES.usage, { cause: error });
  }
}

async function receive(
  terminal: Terminal,
  client: AssayClient,
  request: { identifiers: string[]; title: string; notes: string; language: string },
  output: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  await using stack = new AsyncDisposableStack();
  let path = output ?? '';
  let file: PartialFile | undefined;
  for await (const { payload } of client.receive(EvidenceService.method.exportEvidence, request, signal)) {
    if (payload.case === 'header') {
      // The daemon's file name is not trusted to stay in this folder.
      if (path === '') path = basename(payload.value.name);
      file = stack.use(await PartialFile.create(path));
    } else if (payload.case === 'chunk') await file?.write(payload.value);
    else if (payload.case === 'progress') showProgress(terminal, payload.value);
  }
  if (!signal.aborted) await file?.keep();
  return path;
}

/** One line that is overwritten; nothing if there is no terminal. */
function showProgress(
  { stderr }: Terminal,
  { files, filesTotal }: { files: number; filesTotal: number },
): void {
  if (stderr.isTTY === true)
    stderr.write(`\rfiles: ${files} of about ${filesTotal}${files >= filesTotal ? '\n' : ''}`);
}

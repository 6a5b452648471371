/** `assay evidence export`: the package as the daemon streams it, into a file that is there whole or not at all. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Command } from 'commander';
import { EvidenceService } from '../../../grpc/gen/assay/v1/evidence_service_pb.ts';
import { type AssayClient, openClient } from '../../client.ts';
import { CliFailure, EXIT_CODES } from '../../failure.ts';
import { printLine, type Terminal } from '../../terminal.ts';

interface ExportOptions {
  output?: string;
  title?: string;
  notes?: string;
  notesFile?: string;
  language?: string;
}

export function addExportCommand(evidence: Command, terminal: Terminal): void {
  evidence
    .command('export')
    .description('write a signed package of one record, or of several as a case')
    .argument('<id...>', 'identifiers of records')
    .option('-o, --output <file>', 'the zip, a new file (assay-evidence-<time>-<what>.zip)')
    .option('--title <text>', 'of the report')
    .option('--notes <text>', 'what you know besides; it stands in the report as your words')
    .option('--notes-file <file>', 'the same from a text file')
    .option('--language <language>', 'of the report: en or it (en)')
    .action((identifiers: string[], options: ExportOptions) => runExport(terminal, identifiers, options));
}

async function runExport(terminal: Terminal, identifiers: string[], options: ExportOptions): Promise<void> {
  const { title = '', language = '', output } = options;
  const notes = await readNotes(options);
  const signal = terminal.watchInterrupt();
  using client = await openClient(terminal);
  const request = { identifiers, title, notes, language };
  const path = await receive(terminal, client, request, output, signal);
  if (signal.aborted) throw new CliFailure('interrupted', EXIT_CODES.interrupted);
  printLine(terminal, path);
}

async function readNotes({ notes, notesFile }: ExportOptions): Promise<string> {
  if (notesFile === undefined) return notes ?? '';
  if (notes !== undefined) throw new CliFailure('give --notes or --notes-file, not both', EXIT_CODES.usage);
  try {
    return await readFile(notesFile, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new CliFailure(`${notesFile} cannot be read: ${code}`, EXIT_CODES.usage, { cause: error });
  }
}

async function receive(
  terminal: Terminal,
  client: AssayClient,
  request: { identifiers: string[]; title: string; notes: string; language: string },
  output: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  let path = output ?? '';
  let sink: ReturnType<typeof createWriteStream> | undefined;
  let partial = '';
  try {
    for await (const { payload } of client.receive(EvidenceService.method.exportEvidence, request, signal)) {
      if (payload.case === 'header') {
        // A name from elsewhere is not trusted to stay in this folder.
        if (path === '') path = basename(payload.value.name);
        partial = `${path}.part`;
        sink = createWriteStream(partial, { flags: 'wx', mode: 0o600 });
        await once(sink, 'open');
      } else if (payload.case === 'chunk' && sink !== undefined) {
        if (!sink.write(payload.value)) await once(sink, 'drain');
      } else if (payload.case === 'progress') tellProgress(terminal, payload.value);
    }
    if (sink === undefined || signal.aborted) return path;
    sink.end();
    await once(sink, 'finish');
    await rename(partial, path);
    return path;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (error instanceof CliFailure || typeof code !== 'string') throw error;
    throw new CliFailure(`${path} cannot be written: ${code}`, EXIT_CODES.someFailed, { cause: error });
  } finally {
    sink?.destroy();
    if (sink !== undefined) await rm(partial, { force: true });
  }
}

/** One line that is written over; nothing where nobody looks. */
function tellProgress(
  { stderr }: Terminal,
  { files, filesTotal }: { files: number; filesTotal: number },
): void {
  if (stderr.isTTY === true)
    stderr.write(`\r${files} of about ${filesTotal} files${files >= filesTotal ? '\n' : ''}`);
}

import type { Command } from 'commander';
import { showText } from '../../../domain/shown-text.ts';
import { type ComparedFile, compareAnswers } from '../../../domain/verdicts/answers-compared.ts';
import type { Mark } from '../../../domain/verdicts/marks.ts';
import { compareMarks } from '../../../domain/verdicts/marks-compared.ts';
import { MarksService, type ReadMarksResponse } from '../../../grpc/gen/assay/v1/marks_service_pb.ts';
import { type AssayClient, openClient } from '../../daemon/client.ts';
import { listMediaSources, type MediaSource } from '../../daemon/media-files.ts';
import { sendFile } from '../../daemon/send-file.ts';
import { CliFailure, EXIT_CODES } from '../../terminal/failure.ts';
import { printLine, printNote, type Terminal } from '../../terminal/terminal.ts';
import { formatColumns } from '../../views/columns.ts';
import { describeFacts, describeMarks, fromMarks, toFactsJson } from '../../views/mark-view.ts';
import { describeProvenance, toComparedFile, toProvenanceJson } from '../../views/provenance-view.ts';

export function addMarksCommand(program: Command, terminal: Terminal): void {
  const marks = program
    .command('marks')
    .description('what files say of their own origin: C2PA, IPTC, generators, watermarks');
  marks
    .command('show')
    .description('the marks of files, which are neither kept nor analysed')
    .argument('<files...>', 'files, folders, or - for standard input')
    .option('--json', 'one line of JSON per file')
    .action((files: string[], options: { json?: true }) => showMarks(terminal, files, options));
  marks
    .command('compare')
    .description('which marks and answers of a file its copy still has; exits with 1 if one was lost')
    .argument('<input>', 'the file as it came')
    .argument('<output>', 'the file as it was exported')
    .option('--json', 'one line of JSON')
    .action((input: string, output: string, options: { json?: true }) =>
      compareFiles(terminal, [input, output], options),
    );
}

async function showMarks(
  terminal: Terminal,
  files: readonly string[],
  options: { json?: true },
): Promise<void> {
  using client = await openClient(terminal);
  const counts = { skipped: 0 };
  for await (const source of listMediaSources(files, { stdinName: 'stdin', counts })) {
    const path = showText(source.type === 'file' ? source.path : source.name);
    try {
      const { mimetype, marks, provenance, fileFacts } = await readMarks(terminal, client, source);
      const read = fromMarks(marks);
      if (options.json === true)
        printLine(
          terminal,
          JSON.stringify({
            path,
            mimetype,
            marks: read,
            provenance: toProvenanceJson(provenance),
            fileFacts: toFactsJson(fileFacts),
          }),
        );
      else {
        const parts = [describeFacts(fileFacts), describeMarks(read), describeProvenance(provenance)].map(
          formatColumns,
        );
        printLine(terminal, `${path} (${mimetype})\n${parts.filter(Boolean).join('\n')}\n`);
      }
    } catch (error) {
      if (!(error instanceof CliFailure) || error.isFatal) throw error;
      terminal.setExitCode(EXIT_CODES.someFailed);
      if (options.json === true) printLine(terminal, JSON.stringify({ path, error: error.message }));
      else printNote(terminal, `${path}: ${error.message}`);
    }
  }
  if (counts.skipped > 0) printNote(terminal, `${counts.skipped} other files in the folders were skipped`);
}

interface Compared {
  marks: Mark[];
  file: ComparedFile;
}

async function compareFiles(
  terminal: Terminal,
  paths: readonly string[],
  options: { json?: true },
): Promise<void> {
  using client = await openClient(terminal);
  const read: Compared[] = [];
  for await (const source of listMediaSources(paths, { stdinName: 'stdin', counts: { skipped: 0 } })) {
    const { marks, provenance } = await readMarks(terminal, client, source);
    read.push({ marks: fromMarks(marks), file: toComparedFile(provenance) });
  }
  const [before, after] = read;
  if (before === undefined || after === undefined || read.length > 2) {
    throw new CliFailure('expected two files', EXIT_CODES.usage);
  }
  const marks = compareMarks(before.marks, after.marks);
  const answers = compareAnswers(before.file, after.file);
  const changes = [...marks, ...answers];
  if (options.json === true) printLine(terminal, JSON.stringify(changes));
  else if (changes.length === 0) printLine(terminal, 'neither file holds a mark that can be looked for here');
  else {
    const rows = [
      ...marks.map(({ change, kind, before: was, after: is }) => [change, kind, was, is]),
      ...answers.map(({ change, answer, before: was, after: is }) => [change, answer, was, is]),
    ];
    printLine(terminal, formatColumns([['change', 'mark or answer', 'before', 'after'], ...rows]));
  }
  if (changes.some(({ change }) => change === 'lost' || change === 'broken')) {
    terminal.setExitCode(EXIT_CODES.someFailed);
  }
}

export function readMarks(
  terminal: Terminal,
  client: AssayClient,
  source: MediaSource,
): Promise<ReadMarksResponse> {
  return sendFile(terminal, client, source, { method: MarksService.method.readMarks, header: {} });
}

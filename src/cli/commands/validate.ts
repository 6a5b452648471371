/** `assay validate`: whether files could be analysed. Stores nothing. */
import { extname } from 'node:path';
import type { Command } from 'commander';
import { MEDIA_TYPES } from '../../domain/media/formats.ts';
import type { MediaKind } from '../../domain/media/media.ts';
import { showText } from '../../domain/shown-text.ts';
import {
  ClassificationService,
  type ValidateMediaResponse,
} from '../../grpc/gen/assay/v1/classification_service_pb.ts';
import { forEachBounded } from '../bounded.ts';
import { type AssayClient, openClient } from '../client.ts';
import { CliFailure, EXIT_CODES, toFailure } from '../failure.ts';
import { type FileSource, listMediaSources, type MediaSource, type StdinSource } from '../media-files.ts';
import { jobsOption, kindOption, toProtoKind } from '../media-options.ts';
import { ResumableUpload, type ResumePoint } from '../resume.ts';
import { printLine, printNote, type Terminal } from '../terminal.ts';
import { sendMedia } from '../upload.ts';

interface ValidateOptions {
  json?: true;
  jobs: number;
  kind?: MediaKind;
  name: string;
}

export function addValidateCommand(program: Command, terminal: Terminal): void {
  program
    .command('validate')
    .description('say whether files could be analysed, without analysing them')
    .argument('<files...>', 'files, folders, or - for standard input')
    .option('--json', 'one line of JSON per file')
    .option('--name <name>', 'name of what comes by standard input', 'stdin')
    .addOption(kindOption('what the files should be (default: by their ending, else image)'))
    .addOption(jobsOption())
    .action((files: string[], options: ValidateOptions) => validate(terminal, files, options));
}

async function validate(
  terminal: Terminal,
  files: readonly string[],
  options: ValidateOptions,
): Promise<void> {
  using client = await openClient(terminal);
  const counts = { skipped: 0 };
  const sources = listMediaSources(files, { stdinName: options.name, counts });
  await forEachBounded(sources, options.jobs, async (source) => {
    const shownName = showText(source.type === 'file' ? source.path : source.name);
    try {
      const answer = await validateSource(terminal, client, source, options.kind);
      printLine(terminal, options.json === true ? toJsonLine(shownName, answer) : toLine(shownName, answer));
    } catch (error) {
      if (!(error instanceof CliFailure) || error.isFatal) throw error;
      terminal.setExitCode(EXIT_CODES.someFailed);
      const refusal = { path: shownName, valid: false, error: error.message };
      printLine(
        terminal,
        options.json === true ? JSON.stringify(refusal) : `${shownName}: ${showText(error.message)}`,
      );
    }
  });
  if (counts.skipped > 0) printNote(terminal, `${counts.skipped} other files in the folders were skipped`);
}

async function validateSource(
  terminal: Terminal,
  client: AssayClient,
  source: MediaSource,
  kind: MediaKind | undefined,
): Promise<ValidateMediaResponse> {
  if (source.type === 'missing') throw source.failure;
  // Ctrl-C ends the command itself: there is nothing to say of a validation that goes on.
  const never = new AbortController().signal;
  return await new ResumableUpload(client, source).run(never, (point) =>
    sendSource(terminal, client, source, kind, point),
  );
}

async function sendSource(
  terminal: Terminal,
  client: AssayClient,
  source: FileSource | StdinSource,
  kind: MediaKind | undefined,
  resume: ResumePoint,
): Promise<ValidateMediaResponse> {
  const { call, answer } = client.openUpload(ClassificationService.method.validateMedia);
  const callEnded = new AbortController();
  const header = { kind: toProtoKind(kind ?? kindByName(source.name)) };
  const target = { call, onSent: () => {} };
  const options = { stdin: terminal.stdin, resume, signal: callEnded.signal };
  let fileFault: unknown = null;
  const sending = sendMedia(source, header, target, options).catch((error: unknown) => {
    if (!callEnded.signal.aborted) fileFault = error;
    call.cancel();
  });
  const settled = await Promise.allSettled([answer.finally(() => callEnded.abort()), sending]);
  const [answered] = settled;
  if (answered.status === 'fulfilled') return answered.value;
  if (fileFault instanceof Error && 'syscall' in fileFault) throw toFailure(fileFault, client.address);
  throw answered.reason;
}

function kindByName(name: string): MediaKind {
  const extension = extname(name).slice(1).toLowerCase();
  return MEDIA_TYPES.find((type) => type.extensions.includes(extension))?.kind ?? 'image';
}

function toLine(name: string, answer: ValidateMediaResponse): string {
  const size = answer.width === undefined ? '' : `, ${answer.width} x ${answer.height}`;
  return `${name}: valid (${answer.mimetype}${size}, ${answer.filesize} bytes; ${answer.models.join(', ')})`;
}

function toJsonLine(path: string, answer: ValidateMediaResponse): string {
  const { valid, mimetype, width = null, height = null, models } = answer;
  return JSON.stringify({ path, valid, filesize: Number(answer.filesize), mimetype, width, height, models });
}

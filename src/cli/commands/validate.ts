import { extname } from 'node:path';
import type { Command } from 'commander';
import { MEDIA_TYPES } from '../../domain/media/formats.ts';
import type { MediaKind } from '../../domain/media/media.ts';
import { showText } from '../../domain/shown-text.ts';
import {
  ClassificationService,
  type ValidateMediaResponse,
} from '../../grpc/gen/assay/v1/classification_service_pb.ts';
import { openClient } from '../daemon/client.ts';
import { listMediaSources } from '../daemon/media-files.ts';
import { jobsOption, kindOption, toProtoKind } from '../daemon/media-options.ts';
import { sendFile } from '../daemon/send-file.ts';
import { forEachBounded } from '../terminal/bounded.ts';
import { CliFailure, EXIT_CODES } from '../terminal/failure.ts';
import { printLine, printNote, type Terminal } from '../terminal/terminal.ts';

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
      const kind = toProtoKind(options.kind ?? kindByName(source.type === 'missing' ? '' : source.name));
      const answer = await sendFile(terminal, client, source, {
        method: ClassificationService.method.validateMedia,
        header: { kind },
      });
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

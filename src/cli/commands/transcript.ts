import { Option } from 'commander';
import { showText } from '../../domain/shown-text.ts';
import { TRANSCRIPT_FORMATS, type TranscriptFormat } from '../../domain/transcripts/transcript-formats.ts';
import {
  ClassificationService,
  TranscriptFormat as Format,
} from '../../grpc/gen/assay/v1/classification_service_pb.ts';
import { openClient } from '../daemon/client.ts';
import { act, commandOf } from '../rows/row.ts';
import { throwIfInterrupted } from '../terminal/failure.ts';
import { savePieces } from '../terminal/partial-file.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { printOutcome } from '../views/outcome.ts';

const VALUES = {
  srt: Format.SRT,
  vtt: Format.VTT,
  text: Format.TEXT,
  json: Format.JSON,
} as const satisfies Record<TranscriptFormat, Format>;

interface TranscriptOptions {
  identifier: string;
  format: TranscriptFormat;
  output?: string;
  json?: true;
}

export const addTranscriptCommand = commandOf(
  act('transcript', 'print what is said in a recording or a video; the words are a machine’s', {
    takes: [['identifier', '<id>', 'identifier of a record that was sent --with-transcript']],
    json: 'as JSON; with --output where it lies as one line of JSON',
    options: [
      new Option('--format <format>', 'output format').choices(TRANSCRIPT_FORMATS).default('text'),
      new Option('-o, --output <file>', 'save it there, a new file, instead of printing it'),
    ],
    run: readTranscript,
  }),
);

async function readTranscript(
  terminal: Terminal,
  { identifier, format: asked, output, json }: TranscriptOptions,
): Promise<void> {
  const signal = terminal.watchInterrupt();
  using client = await openClient(terminal);
  const name = json === true && output === undefined ? 'json' : asked;
  const format = VALUES[name];
  const pieces = client.receive(ClassificationService.method.getTranscript, { identifier, format }, signal);
  if (output === undefined) {
    await printText(terminal, pieces, name);
  } else {
    await savePieces(pieces, output, signal);
  }
  throwIfInterrupted(signal);
  if (output !== undefined) printOutcome(terminal, json === true ? { json } : {}, { path: output }, output);
}

type Pieces = AsyncIterable<{ chunk: Uint8Array }>;

/** A speaker's words must not move a terminal's cursor; JSON escapes such characters itself. */
async function printText(terminal: Terminal, pieces: Pieces, format: TranscriptFormat): Promise<void> {
  const chunks: Uint8Array[] = [];
  for await (const { chunk } of pieces) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  terminal.stdout.write(format === 'json' ? text : text.split('\n').map(showText).join('\n'));
}

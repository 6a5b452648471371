import { type Command, Option } from 'commander';
import { showText } from '../../../domain/shown-text.ts';
import { AI_PARTS, type AiPart, type LabelledKind } from '../../../domain/verdicts/article-50.ts';
import type { Mark } from '../../../domain/verdicts/marks.ts';
import {
  type AdviseLabelResponse,
  AdviseLabelResponseSchema,
  MarksService,
  AiPart as ProtoAiPart,
  LabelledKind as ProtoLabelledKind,
} from '../../../grpc/gen/assay/v1/marks_service_pb.ts';
import { MediaKindSchema } from '../../../grpc/gen/assay/v1/media_pb.ts';
import { fromEnumValue, fromMessage } from '../../../grpc/messages.ts';
import { type AssayClient, openClient } from '../../daemon/client.ts';
import { listMediaSources } from '../../daemon/media-files.ts';
import { CliFailure, EXIT_CODES } from '../../terminal/failure.ts';
import { printLine, printNote, type Terminal } from '../../terminal/terminal.ts';
import { formatColumns } from '../../views/columns.ts';
import { describeMarks, fromMarks } from '../../views/mark-view.ts';
import { readMarks } from './marks.ts';

const PROTO_KINDS: Readonly<Record<LabelledKind, ProtoLabelledKind>> = {
  image: ProtoLabelledKind.IMAGE,
  video: ProtoLabelledKind.VIDEO,
  audio: ProtoLabelledKind.AUDIO,
  text: ProtoLabelledKind.TEXT,
};

type Answer = 'yes' | 'no';

interface LabelOptions {
  json?: true;
  text?: true;
  part: AiPart;
  resemblesReality?: Answer;
  artistic?: Answer;
  editorialControl?: Answer;
}

export function addLabelCommand(program: Command, terminal: Terminal): void {
  const answer = (flags: string, sentence: string) => new Option(flags, sentence).choices(['yes', 'no']);
  program
    .command('label')
    .description('which label AI media need when they are published (article 50 of the AI Act)')
    .argument('[files...]', 'pictures, films or sound; none with --text')
    .addOption(
      answer(
        '--resembles-reality <answer>',
        'would somebody take it for real persons, objects, places or events?',
      ),
    )
    .addOption(answer('--artistic <answer>', 'is it evidently art, satire, fiction or the like?'))
    .option('--text', 'the piece is a text')
    .addOption(
      answer(
        '--editorial-control <answer>',
        'text: did a person review it, and does somebody answer for it?',
      ),
    )
    .addOption(
      new Option('--part <part>', 'made by a machine as a whole, or changed by one')
        .choices(AI_PARTS)
        .default('generated'),
    )
    .option('--json', 'one line of JSON per file')
    .action((files: string[], options: LabelOptions) => adviseLabels(terminal, files, options));
}

async function adviseLabels(
  terminal: Terminal,
  files: readonly string[],
  options: LabelOptions,
): Promise<void> {
  if ((options.text === true) === files.length > 0) {
    throw new CliFailure('expected either files or --text', EXIT_CODES.usage);
  }
  using client = await openClient(terminal);
  if (options.text === true)
    return printAdvice(terminal, 'text', await advise(client, 'text', options), options);
  for await (const source of listMediaSources(files, { stdinName: 'stdin', counts: { skipped: 0 } })) {
    const path = showText(source.type === 'file' ? source.path : source.name);
    try {
      const { kind: shown, marks } = await readMarks(terminal, client, source);
      const kind = fromEnumValue(MediaKindSchema, shown, 'kind', () => undefined) as LabelledKind;
      printAdvice(terminal, path, await advise(client, kind, options), options, fromMarks(marks));
    } catch (error) {
      if (!(error instanceof CliFailure) || error.isFatal) throw error;
      terminal.setExitCode(EXIT_CODES.someFailed);
      printNote(terminal, `${path}: ${error.message}`);
    }
  }
}

function advise(
  client: AssayClient,
  kind: LabelledKind,
  { part, resemblesReality, artistic, editorialControl }: LabelOptions,
): Promise<AdviseLabelResponse> {
  const said = (answer: Answer | undefined) => (answer === undefined ? undefined : answer === 'yes');
  const answers = {
    resemblesReality: said(resemblesReality),
    isArtistic: said(artistic),
    hasEditorialControl: said(editorialControl),
  };
  return client.call(MarksService.method.adviseLabel, {
    kind: PROTO_KINDS[kind],
    part: part === 'modified' ? ProtoAiPart.MODIFIED : ProtoAiPart.GENERATED,
    ...Object.fromEntries(Object.entries(answers).filter(([, answer]) => answer !== undefined)),
  });
}

function printAdvice(
  terminal: Terminal,
  path: string,
  message: AdviseLabelResponse,
  { json }: LabelOptions,
  marks: readonly Mark[] = [],
): void {
  const found = marks.filter(({ state }) => state === 'found');
  const advice = fromMessage(AdviseLabelResponseSchema, message, (value) => value);
  if (json === true) {
    printLine(terminal, JSON.stringify({ path, ...advice, marks: found }));
    return;
  }
  const { reason, wording, place, sourceType, sources } = message;
  const rows = [
    ['duty', `${String(advice.duty).replaceAll('_', ' ')}: ${reason}`],
    ['label', wording === '' ? 'none is needed' : `“${wording}”. ${place}`],
    ...(sourceType === '' ? [] : [['IPTC', sourceType]]),
    ...describeMarks(found).map((cells) => ['in the file', cells.join('  ')]),
    ...sources.map(({ title, rank, supports }) => [
      'source',
      `${title} (${rank === 1 ? 'primary' : 'secondary'}): ${supports}`,
    ]),
    ['', 'This is no legal advice.'],
  ];
  printLine(terminal, `${path}\n${formatColumns(rows)}\n`);
}

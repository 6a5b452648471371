import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Command, Option } from 'commander';
import { codeOf } from '../../../domain/error-code.ts';
import type { ReadingOfFigures } from '../../../domain/records/exported-reading.ts';
import { counted, showText } from '../../../domain/shown-text.ts';
import { type JudgedPackage, type JudgeOrder, judgePackage } from '../../../evidence/judge-package.ts';
import type { JudgedTimestamp } from '../../../evidence/judge-timestamps.ts';
import { EvidenceKeySchema, EvidenceService } from '../../../grpc/gen/assay/v1/evidence_service_pb.ts';
import { type AssayClient, openClient } from '../../daemon/client.ts';
import { act, addRow, type CommandRow, listing } from '../../rows/row.ts';
import { CliFailure, EXIT_CODES, throwIfInterrupted } from '../../terminal/failure.ts';
import { PartialFile } from '../../terminal/partial-file.ts';
import { printLine, printNote, type Terminal } from '../../terminal/terminal.ts';
import { toJsonLine } from '../../views/message-json.ts';
import { printOutcome } from '../../views/outcome.ts';
import { formatTimestamp } from '../../views/timestamp.ts';
import { addTimestampCommand, readRootsFile } from './timestamp.ts';

const { method } = EvidenceService;

const LIST = listing(
  'show',
  'the public keys of all that was ever signed here, newest first',
  method.listEvidenceKeys,
  'keys',
  {
    isDefault: true,
    json: 'one key per line, with its PEM',
    options: [new Option('--pem', 'the present key in PEM')],
    columns: {
      fingerprint: 'fingerprint',
      since: ({ createdAt }) => formatTimestamp(createdAt),
      '': ({ retiredAt }) => (retiredAt === undefined ? 'signs' : `until ${formatTimestamp(retiredAt)}`),
    },
  },
);

const KEYS: readonly CommandRow[] = [
  {
    ...LIST,
    run: async (terminal, said) => {
      if (said.pem !== true) return await LIST.run(terminal, said);
      using client = await openClient(terminal);
      const { keys } = await client.call(method.listEvidenceKeys, {});
      terminal.stdout.write(keys[0]?.publicKeyPem ?? '');
    },
  },
  act('rotate', 'sign with a new key from now on; the old one stays published (administrators)', {
    json: 'the keys as they stand then, one per line',
    run: rotateKey,
  }),
];

export function addEvidenceCommand(program: Command, terminal: Terminal): void {
  const evidence = program
    .command('evidence')
    .description('signed packages of records, which others verify without this box');
  addExportCommand(evidence, terminal);
  addVerifyCommand(evidence, terminal);
  addTimestampCommand(evidence, terminal);
  const key = evidence.command('key').description('the keys that sign packages');
  for (const row of KEYS) addRow(key, terminal, row);
}

async function rotateKey(terminal: Terminal, { json }: { json?: true }): Promise<void> {
  using client = await openClient(terminal);
  const { keys } = await client.call(method.rotateEvidenceKey, {});
  if (json === true) {
    for (const key of keys) printLine(terminal, toJsonLine(EvidenceKeySchema, key));
    return;
  }
  const [present, before] = keys;
  printLine(terminal, present?.fingerprint ?? '');
  printNote(
    terminal,
    `Publish this fingerprint where others look for it. What ${before?.fingerprint ?? 'the old key'} signed still verifies.`,
  );
}

interface ExportOptions {
  output?: string;
  title?: string;
  notes?: string;
  notesFile?: string;
  language?: string;
  json?: true;
}

/** `assay evidence export`: streams the package from the daemon into a file that is complete or absent. */
function addExportCommand(evidence: Command, terminal: Terminal): void {
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

interface VerifyOptions {
  fingerprint?: string[];
  tsaCa?: string;
  since?: string;
  json?: true;
}

function addVerifyCommand(evidence: Command, terminal: Terminal): void {
  evidence
    .command('verify')
    .description('judge a package offline: every fault is named with its file')
    .argument('<package>', 'the zip')
    .option(
      '--fingerprint <fingerprint...>',
      'fingerprints of the keys that the newsroom publishes; without them the origin of the key is not judged',
    )
    .option(
      '--tsa-ca <file>',
      'root certificates (PEM) that timestamp authorities must lead to; without it their origin is not judged',
    )
    .option(
      '--since <package>',
      'an older package of the same box: whether its custody log was only added to since',
    )
    .option('--json', 'what was found as one line of JSON')
    .action((path: string, options: VerifyOptions) => runVerify(terminal, path, options));
}

async function runVerify(terminal: Terminal, path: string, options: VerifyOptions): Promise<void> {
  const timestampRootsPem = options.tsaCa === undefined ? null : await readRootsFile(options.tsaCa);
  const order = { path, fingerprints: options.fingerprint ?? [], timestampRootsPem };
  const judged = await judge({ ...order, olderPath: options.since });
  if (options.json === true) printLine(terminal, JSON.stringify(judged));
  else report(terminal, path, judged, options.fingerprint !== undefined);
  const isContinued = judged.continuedLog === null || judged.continuedLog.continuation === 'continued';
  if (judged.faults.length > 0 || !isContinued) terminal.setExitCode(EXIT_CODES.someFailed);
}

async function judge(order: JudgeOrder): Promise<JudgedPackage> {
  try {
    return await judgePackage(order);
  } catch (error) {
    throw new CliFailure(
      `${order.path} is no package that can be read: ${showText((error as Error).message)}`,
      EXIT_CODES.someFailed,
      {
        cause: error,
      },
    );
  }
}

function report(terminal: Terminal, path: string, judged: JudgedPackage, isKeyGiven: boolean): void {
  const { faults, fingerprint, files, bytes, title, createdAt, records, timestamps } = judged;
  for (const { member, fault } of faults) printLine(terminal, showText(`${member}: ${fault}`));
  if (title !== '') printLine(terminal, `Title: ${title}`);
  if (createdAt !== '') printLine(terminal, `Made: ${createdAt}, by the clock of the box`);
  for (const { member, time, authority, root } of timestamps) {
    printLine(terminal, `Stamped: ${time} by ${authority} (${member}); ${ROOTS[root]}`);
  }
  if (timestamps.length === 0) printLine(terminal, 'Not timestamped: its age rests on the word of the box.');
  for (const { identifier, name, exported, present } of records) {
    printLine(terminal, `${identifier.slice(0, 12)} ${name}: ${describe(exported)}`);
    if (present === null) continue;
    const today = new Date().toISOString();
    printLine(terminal, `  read so on ${createdAt}; this version reads the same figures on ${today} as:`);
    printLine(terminal, `  ${describe(present)}`);
  }
  if (judged.continuedLog !== null) {
    const { earlierSize, size, found } = judged.continuedLog;
    printLine(terminal, `Log: ${counted(earlierSize, 'entry', 'entries')} then, ${size} now: ${found}`);
  }
  printLine(terminal, `Key: ${fingerprint ?? 'none that can be read'}`);
  if (!isKeyGiven) {
    printNote(
      terminal,
      'Compare the key with what the newsroom publishes: a key in a package proves nothing alone.',
    );
  }
  const verdict = faults.length === 0 ? 'whole and signed' : 'NOT whole: see the faults above';
  printLine(terminal, `${path}: ${counted(files, 'file')}, ${bytes} bytes: ${verdict}`);
}

const ROOTS: Readonly<Record<JudgedTimestamp['root'], string>> = {
  given: 'its certificate leads to a root of --tsa-ca',
  in_package:
    'its certificate leads to a root that lies in the package, which proves nothing alone: give --tsa-ca',
  not_checked: 'its certificate was not checked against a root: give --tsa-ca',
};

function describe(reading: ReadingOfFigures | null): string {
  if (reading === null) return 'no result';
  const { state, probability, classification, rulesVersion } = reading;
  const share = probability === null ? '' : `, ${(probability * 100).toFixed(1)} % chance of AI`;
  const said = classification === '' ? '' : `, counts as ${classification}`;
  return `${state.replace('_', ' ')}${share}${said} (rules version ${rulesVersion})`;
}

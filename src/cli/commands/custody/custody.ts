import { readFile, writeFile } from 'node:fs/promises';
import { create } from '@bufbuild/protobuf';
import type { Command } from 'commander';
import { codeOf } from '../../../domain/error-code.ts';
import { counted, personLabel, showText } from '../../../domain/shown-text.ts';
import {
  CheckpointFinding,
  type CustodyEntry,
  CustodyService,
  JudgeCheckpointResponseSchema,
  ProveCustodyResponseSchema,
  type VerifyCustodyResponse,
  VerifyCustodyResponseSchema,
} from '../../../grpc/gen/assay/v1/custody_service_pb.ts';
import { toMessage } from '../../../grpc/messages.ts';
import { openClient } from '../../daemon/client.ts';
import { addRow, listing } from '../../rows/row.ts';
import { CliFailure, EXIT_CODES, toFileFailure } from '../../terminal/failure.ts';
import { printLine, type Terminal } from '../../terminal/terminal.ts';
import { nameOf } from '../../views/enum-word.ts';
import { toJsonLine } from '../../views/message-json.ts';
import { printOutcome } from '../../views/outcome.ts';
import { formatTimestamp } from '../../views/timestamp.ts';

export function addCustodyCommand(program: Command, terminal: Terminal): void {
  const custody = program.command('custody').description('what happened to records, when and by whom');
  addCustodyVerify(custody, terminal);
  for (const row of CUSTODY_LISTS) addRow(custody, terminal, row);
  addCustodyProofs(custody, terminal);
  custody
    .command('redact')
    .description('delete the details of entries; the entries stay (administrators)')
    .argument('<sequence...>', 'numbers of entries, as list shows them')
    .option('--reason <text>', 'why, without anything of what is deleted', '')
    .option('--json', 'the numbers of the entries whose details went, as one line of JSON')
    .action((sequences: string[], options: RedactOptions) => redact(terminal, sequences, options));
}

interface RedactOptions {
  reason: string;
  json?: true;
}

async function redact(terminal: Terminal, given: readonly string[], options: RedactOptions): Promise<void> {
  const { reason } = options;
  const sequences = given.map((text) => {
    if (/^\d{1,15}$/.test(text)) return BigInt(text);
    throw new CliFailure(`expected the number of an entry, found ${text}`, EXIT_CODES.usage);
  });
  using client = await openClient(terminal);
  const answer = await client.call(CustodyService.method.redactCustody, { sequences, reason });
  const count = answer.sequences.length;
  const done = { sequences: answer.sequences.map(String) };
  printOutcome(
    terminal,
    options,
    done,
    `the details of ${count} of ${counted(sequences.length, 'entry', 'entries')} are deleted`,
  );
  if (count < sequences.length)
    throw new CliFailure(
      'the others are not there, have none any more, or are needed to verify others',
      EXIT_CODES.someFailed,
    );
}

const { listCustodyEntries } = CustodyService.method;
const LINES = { json: 'one entry per line', line: toLine };

const CUSTODY_LISTS = [
  listing(
    'list',
    'list the entries of the whole log, newest first (administrators)',
    listCustodyEntries,
    'entries',
    LINES,
  ),
  listing('show', 'show what happened to a record, newest first', listCustodyEntries, 'entries', {
    ...LINES,
    takes: [['identifier', '<record>', 'its identifier']],
  }),
];

function toLine(entry: CustodyEntry): string {
  const {
    sequence,
    at,
    kind,
    subject,
    accountId,
    accountName,
    facade,
    remoteAddress,
    detailsDeletedAt,
    what,
  } = entry;
  const said = { ...entry.details, ...what };
  const cells = [
    String(sequence),
    formatTimestamp(at),
    personLabel(accountId, accountName),
    [facade, remoteAddress].filter(Boolean).join(' '),
    kind,
    subject,
    detailsDeletedAt === undefined
      ? describe(said)
      : `details deleted on ${formatTimestamp(detailsDeletedAt)}`,
  ];
  return showText(cells.filter(Boolean).join('  '));
}

/** Figures and words; empty fields are left out. */
function describe(said: Readonly<Record<string, unknown>>): string {
  return Object.entries(said)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(' ');
}

interface ProveOptions {
  since?: string;
  output?: string;
}

function addCustodyProofs(custody: Command, terminal: Terminal): void {
  custody
    .command('prove')
    .description('print a record’s entries as JSON, with proofs under a checkpoint that is signed now')
    .argument('<record>', 'its identifier')
    .option('--since <size>', 'also prove that the log goes on from an earlier checkpoint of that size')
    .option('-o, --output <file>', 'write it to a file')
    .action((identifier: string, options: ProveOptions) => prove(terminal, identifier, options));
}

async function prove(
  terminal: Terminal,
  identifier: string,
  { since = '0', output }: ProveOptions,
): Promise<void> {
  if (!/^\d{1,15}$/.test(since))
    throw new CliFailure(`expected the size of a checkpoint, found ${since}`, EXIT_CODES.usage);
  using client = await openClient(terminal);
  const request = { identifier, sinceSize: BigInt(since) };
  const proof = await client.call(CustodyService.method.proveCustody, request);
  const text = toJsonLine(ProveCustodyResponseSchema, proof);
  if (output === undefined) printLine(terminal, text);
  else
    await writeFile(output, `${text}\n`).catch((error: unknown) => {
      throw new CliFailure(`${output} cannot be written (${codeOf(error)})`, EXIT_CODES.someFailed);
    });
}

interface VerifyOptions {
  from?: string;
  checkpoint?: string;
  json?: true;
}

function addCustodyVerify(custody: Command, terminal: Terminal): void {
  custody
    .command('verify')
    .description(
      'read the whole log and name the first bad entry; exits with 1 if there is one (administrators)',
    )
    .option('--from <backup>', 'a folder that assay backup made, read here and without the daemon')
    .option('--checkpoint <file>', 'a signed checkpoint, out of a package: whether it is of this log')
    .option('--json', 'one object')
    .action((options: VerifyOptions) => {
      if (options.checkpoint !== undefined) return judge(terminal, options.checkpoint, options);
      return verify(terminal, options);
    });
}

async function verify(terminal: Terminal, { from, json }: VerifyOptions): Promise<void> {
  const report = from === undefined ? await askDaemon(terminal) : await readBackup(terminal, from);
  if (json === true) printLine(terminal, toJsonLine(VerifyCustodyResponseSchema, report));
  else printReport(terminal, report);
  if (!report.isWhole) terminal.setExitCode(EXIT_CODES.someFailed);
}

async function askDaemon(terminal: Terminal): Promise<VerifyCustodyResponse> {
  using client = await openClient(terminal);
  return await client.call(CustodyService.method.verifyCustody, {});
}

async function readBackup(terminal: Terminal, backup: string): Promise<VerifyCustodyResponse> {
  // Loaded only here: the other commands need no database.
  const { verifyBackupCustody } = await import('../../../store/backup/verify-backup.ts');
  const signal = terminal.watchInterrupt();
  try {
    const report = await verifyBackupCustody(backup, signal);
    return create(VerifyCustodyResponseSchema, toMessage(VerifyCustodyResponseSchema, report));
  } catch (error) {
    throw toFileFailure(error, signal);
  }
}

function printReport(terminal: Terminal, report: VerifyCustodyResponse): void {
  const { isWhole, size, root, epochs, detailsDeleted, olderLines, checkpoints, faults, faultCount } = report;
  printLine(
    terminal,
    `${isWhole ? 'whole' : 'NOT WHOLE'}: ${counted(size, 'entry', 'entries')}, root ${root}`,
  );
  for (const { sequence, fault } of faults) {
    printLine(terminal, showText(sequence === undefined ? fault : `entry ${sequence}: ${fault}`));
  }
  const others = Number(faultCount) - faults.length;
  if (others > 0) printLine(terminal, `and ${counted(others, 'more fault')}`);
  printLine(terminal, `valid signed checkpoints: ${checkpoints}`);
  printLine(
    terminal,
    `details of ${counted(detailsDeleted, 'entry', 'entries')} were deleted, as the log says`,
  );
  if (olderLines > 0) printLine(terminal, `audit lines older than the log: ${olderLines}`);
  for (const { id, sequence, at, reason } of epochs) {
    printLine(terminal, showText(`epoch ${id} from entry ${sequence}, ${formatTimestamp(at)}: ${reason}`));
  }
}

async function judge(terminal: Terminal, file: string, { json }: VerifyOptions): Promise<void> {
  const checkpoint = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CliFailure(`${file} cannot be read (${codeOf(error)})`, EXIT_CODES.usage);
  });
  using client = await openClient(terminal);
  const judged = await client.call(CustodyService.method.judgeCheckpoint, { checkpoint });
  const { finding, reason } = judged;
  if (json === true) printLine(terminal, toJsonLine(JudgeCheckpointResponseSchema, judged));
  else printLine(terminal, showText(`${nameOf(CheckpointFinding, finding).replaceAll('_', ' ')}: ${reason}`));
  if (finding !== CheckpointFinding.HELD) terminal.setExitCode(EXIT_CODES.someFailed);
}

import type { Command } from 'commander';
import type { ReadingOfFigures } from '../../../domain/records/exported-reading.ts';
import { counted, showText } from '../../../domain/shown-text.ts';
import { type JudgedPackage, type JudgeOrder, judgePackage } from '../../../evidence/judge-package.ts';
import type { JudgedTimestamp } from '../../../evidence/judge-timestamps.ts';
import { CliFailure, EXIT_CODES } from '../../terminal/failure.ts';
import { printLine, printNote, type Terminal } from '../../terminal/terminal.ts';
import { readRootsFile } from './timestamp.ts';

interface VerifyOptions {
  fingerprint?: string[];
  tsaCa?: string;
  since?: string;
  json?: true;
}

export function addVerifyCommand(evidence: Command, terminal: Terminal): void {
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

import { readFile } from 'node:fs/promises';
import { create } from '@bufbuild/protobuf';
import type { Command } from 'commander';
import { codeOf } from '../../../domain/error-code.ts';
import { counted, showText } from '../../../domain/shown-text.ts';
import {
  CheckpointFinding,
  CustodyService,
  JudgeCheckpointResponseSchema,
  type VerifyCustodyResponse,
  VerifyCustodyResponseSchema,
} from '../../../grpc/gen/assay/v1/custody_service_pb.ts';
import { toMessage } from '../../../grpc/messages.ts';
import { openClient } from '../../daemon/client.ts';
import { CliFailure, EXIT_CODES, toFileFailure } from '../../terminal/failure.ts';
import { printLine, type Terminal } from '../../terminal/terminal.ts';
import { nameOf } from '../../views/enum-word.ts';
import { toJsonLine } from '../../views/message-json.ts';
import { formatTimestamp } from '../../views/timestamp.ts';

interface VerifyOptions {
  from?: string;
  checkpoint?: string;
  json?: true;
}

export function addCustodyVerify(custody: Command, terminal: Terminal): void {
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

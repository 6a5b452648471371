import type { Command } from 'commander';
import { counted } from '../../../domain/shown-text.ts';
import {
  ApplianceService,
  BackupEntrySchema,
  BackupPhase,
  type BackupResponse,
} from '../../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { openClient } from '../../daemon/client.ts';
import { CliFailure, EXIT_CODES } from '../../terminal/failure.ts';
import { printLine, printNote, type Terminal } from '../../terminal/terminal.ts';
import { nameOf } from '../../views/enum-word.ts';
import { toJsonLine } from '../../views/message-json.ts';
import { type OutcomeOptions, outcomeOption, printOutcome } from '../../views/outcome.ts';
import { formatTable } from '../../views/table.ts';
import { formatTimestamp } from '../../views/timestamp.ts';

interface BackupOptions extends OutcomeOptions {
  withSecrets?: true;
  list?: true;
}

export function addBackupCommand(program: Command, terminal: Terminal): void {
  program
    .command('backup')
    .description('make a backup in the daemon’s backup.dir and print its path; checked by reading it back')
    .argument('[dir]', 'backup.dir itself (the default) or a folder in it')
    .option('--with-secrets', 'also the key that seals API keys, and the administrator’s key')
    .addOption(outcomeOption())
    .option('--list', 'print the finished backups in backup.dir instead, newest first')
    .action((folder: string | undefined, options: BackupOptions) =>
      options.list === true ? listBackups(terminal, options) : backUp(terminal, folder ?? '', options),
    );
}

async function listBackups(terminal: Terminal, options: BackupOptions): Promise<void> {
  using client = await openClient(terminal);
  const { backups } = await client.call(ApplianceService.method.listBackups, {});
  if (options.json === true) {
    for (const backup of backups) printLine(terminal, toJsonLine(BackupEntrySchema, backup));
    return;
  }
  const rows = backups.map(({ name, createdAt, version, files, bytes, withSecrets, fault }) => [
    name,
    formatTimestamp(createdAt),
    version,
    String(files),
    megabytes(bytes),
    withSecrets ? 'with secrets' : '',
    fault,
  ]);
  const head = ['backup', 'made', 'version', 'files', 'size', '', 'fault'];
  if (rows.length > 0) printLine(terminal, formatTable(head, rows));
  else printNote(terminal, 'no finished backup in backup.dir');
}

const megabytes = (bytes: bigint): string => `${(Number(bytes) / 1e6).toFixed(1)} MB`;

async function backUp(terminal: Terminal, folder: string, options: BackupOptions): Promise<void> {
  using client = await openClient(terminal);
  const signal = terminal.watchInterrupt();
  const request = { folder, withSecrets: options.withSecrets === true };
  let last: BackupResponse | undefined;
  for await (const step of client.receive(ApplianceService.method.backup, request, signal)) {
    if (step.phase !== last?.phase) printNote(terminal, PHASES.get(nameOf(BackupPhase, step.phase)) ?? '');
    last = step;
  }
  if (signal.aborted) throw new CliFailure('interrupted; nothing was left', EXIT_CODES.interrupted);
  if (last === undefined || last.path === '') {
    throw new CliFailure('the daemon ended the backup before it was whole', EXIT_CODES.someFailed);
  }
  printNote(
    terminal,
    `${counted(last.files, 'file')}, ${megabytes(last.bytes)}, of which new ${megabytes(last.copiedBytes)}`,
  );
  if (last.damaged > 0n) {
    printNote(
      terminal,
      `damaged and left out: ${counted(last.damaged, 'media file')}; the daemon's log names them`,
    );
    terminal.setExitCode(EXIT_CODES.someFailed);
  }
  const { path, files, bytes, copiedBytes, damaged } = last;
  printOutcome(terminal, options, { path, files, bytes, copied_bytes: copiedBytes, damaged }, path);
}

const PHASES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    records: 'copying the records',
    check: 'reading them back',
    files: 'copying the media',
  }),
);

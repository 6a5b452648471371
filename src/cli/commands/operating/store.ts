import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { CliFailure, EXIT_CODES } from '../../terminal/failure.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { type OutcomeOptions, outcomeOption, printOutcome } from '../../views/outcome.ts';

interface CompactOptions extends OutcomeOptions {
  dataDir: string;
}

export function addStoreCommand(program: Command, terminal: Terminal): void {
  const store = program.command('store').description('the record file of a stopped daemon');
  store
    .command('compact')
    .description('shrink the record file to what it holds; the daemon must be stopped')
    .requiredOption('--data-dir <dir>', '(required) the data folder')
    .addOption(outcomeOption())
    .action((options: CompactOptions) => compact(terminal, options));
}

async function compact(terminal: Terminal, options: CompactOptions): Promise<void> {
  const { dataDir } = options;
  if (!existsSync(join(dataDir, 'records', 'data.mdb')))
    throw new CliFailure(`${dataDir} is no data folder: it has no records`, EXIT_CODES.usage);
  // Loaded only here: the other commands need no database.
  const { Store } = await import('../../../store/store.ts');
  const { PRIVATE_UMASK } = await import('../../../store/private-folder.ts');
  process.umask(PRIVATE_UMASK);
  try {
    const { bytesBefore, bytesAfter } = await Store.compact(dataDir);
    const outcome = { data_dir: dataDir, bytes_before: bytesBefore, bytes_after: bytesAfter };
    const text = `the records of ${dataDir} have ${megabytes(bytesAfter)} now, ${megabytes(bytesBefore)} before`;
    printOutcome(terminal, options, outcome, text);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new CliFailure(error.message, EXIT_CODES.someFailed, { cause: error });
  }
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

import type { Command } from 'commander';
import { VERSION } from '../../domain/version.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { describeVersion } from '../terminal/version-line.ts';
import { type OutcomeOptions, outcomeOption, printOutcome } from '../views/outcome.ts';

export function addVersionCommand(program: Command, terminal: Terminal): void {
  program
    .command('version')
    .description('print the version')
    .addOption(outcomeOption())
    .action((options: OutcomeOptions) => {
      const { node } = process.versions;
      printOutcome(terminal, options, { version: VERSION, node }, describeVersion());
    });
}

/** `assay version`: this program's version; the daemon's is in `assay status`. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { Terminal } from '../terminal.ts';
import { type OutcomeOptions, outcomeOption, printOutcome } from '../views/outcome.ts';

const PACKAGE = join(import.meta.dirname, '..', '..', '..', 'package.json');

export function addVersionCommand(program: Command, terminal: Terminal): void {
  program
    .command('version')
    .description('print the version')
    .addOption(outcomeOption())
    .action(async (options: OutcomeOptions) => {
      const { version }: { version: string } = JSON.parse(await readFile(PACKAGE, 'utf8'));
      const { node } = process.versions;
      printOutcome(terminal, options, { version, node }, `assay ${version} (Node ${node})`);
    });
}

/** `assay version`: this program's version; the daemon's is in `assay status`. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { printLine, type Terminal } from '../terminal.ts';

const PACKAGE = join(import.meta.dirname, '..', '..', '..', 'package.json');

export function addVersionCommand(program: Command, terminal: Terminal): void {
  program
    .command('version')
    .description('print the version')
    .action(async () => {
      const { version }: { version: string } = JSON.parse(await readFile(PACKAGE, 'utf8'));
      printLine(terminal, `assay ${version} (Node ${process.versions.node})`);
    });
}

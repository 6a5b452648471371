/** The manual page as the commands of this checkout have it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type CommandNode, readCommandTree } from '../src/cli/completion/command-tree.ts';
import { buildProgram, PROGRAM_HELP } from '../src/cli/program.ts';
import type { Terminal } from '../src/cli/terminal/terminal.ts';
import { describeManual } from './manual-page.ts';

const PACKAGE = join(import.meta.dirname, '..', 'package.json');

/** A terminal that nobody sits at: the commands are described, not run. */
const SILENT: Terminal = {
  env: {},
  stdin: new PassThrough(),
  stdout: new PassThrough(),
  stderr: new PassThrough(),
  watchInterrupt: () => new AbortController().signal,
  setExitCode: () => {},
};

export async function readProgram(): Promise<CommandNode> {
  return readCommandTree(await buildProgram(SILENT));
}

export async function readManual(): Promise<string> {
  const { version } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string };
  return describeManual(await readProgram(), { version, epilogue: PROGRAM_HELP });
}

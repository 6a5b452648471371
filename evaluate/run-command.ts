/** How a command of this folder ends: one sentence for what its caller can mend, a stack for a fault of its own. */
import { CliFailure } from '../src/cli/terminal/failure.ts';
import { FolderError } from './labelled-folder.ts';
import { OtherEvaluationError } from './measurement.ts';
import { OwnDaemonError } from './own-daemon.ts';

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Their sentence says it all. TypeErrors are those of the argument parser. */
const KNOWN_FAULTS = [UsageError, FolderError, CliFailure, OtherEvaluationError, OwnDaemonError, TypeError];

export async function runCommand(
  usage: string,
  work: (args: readonly string[]) => Promise<void>,
): Promise<void> {
  try {
    await work(process.argv.slice(2));
  } catch (error) {
    const isKnown = KNOWN_FAULTS.some((known) => error instanceof known);
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    if (error instanceof UsageError) process.stderr.write(`\n${usage}\n`);
    if (!isKnown && error instanceof Error) process.stderr.write(`${error.stack}\n`);
    process.exitCode = error instanceof CliFailure ? error.exitCode : 2;
  }
}

/** The entry of the command line: the only place that knows the process. */

import { EXIT_CODES } from './failure.ts';
import { runCommandLine } from './program.ts';
import type { Terminal } from './terminal.ts';

// `assay list | head` closes our output early, which is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT_CODES.done);
  throw error;
});

const terminal: Terminal = {
  env: process.env,
  // Opened only by a command that reads it.
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  watchInterrupt,
  setExitCode: (code) => {
    process.exitCode = code;
  },
};

await runCommandLine(terminal, process.argv.slice(2));

/** The first Ctrl-C ends cleanly, the second at once. */
function watchInterrupt(): AbortSignal {
  const interrupt = new AbortController();
  process.once('SIGINT', () => {
    interrupt.abort();
    process.once('SIGINT', () => process.exit(EXIT_CODES.interrupted));
  });
  return interrupt.signal;
}

/** The entry of the command line: the only place that touches the process. */
import { loadProgram } from '../built-program.ts';
import type { Terminal } from './terminal/terminal.ts';
import { describeVersion } from './terminal/version-line.ts';

const [, , ...words] = process.argv;
// Scripts call it often, and nothing else needs to be loaded for it.
if (words.length === 1 && words[0] === '--version') process.stdout.write(`${describeVersion()}\n`);
else await run(words);

async function run(argv: readonly string[]): Promise<void> {
  const { runCommandLine, EXIT_CODES } = await loadProgram('cli', () => import('./program.ts'));
  // `assay list | head` closes our output early, which is no fault.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT_CODES.done);
    throw error;
  });
  const terminal: Terminal = {
    env: process.env,
    // Opened only if a command reads it.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    watchInterrupt: () => watchInterrupt(EXIT_CODES.interrupted),
    setExitCode: (code) => {
      process.exitCode = code;
    },
  };
  await runCommandLine(terminal, argv);
}

/** The first Ctrl-C ends cleanly, the second at once. */
function watchInterrupt(interruptedCode: number): AbortSignal {
  const interrupt = new AbortController();
  process.once('SIGINT', () => {
    interrupt.abort();
    process.once('SIGINT', () => process.exit(interruptedCode));
  });
  return interrupt.signal;
}

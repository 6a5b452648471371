/** Runs one command line in this process, against a running daemon, and hands back what it said. */
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCommandLine } from '../../src/cli/program.ts';

const TERMINAL = { isTTY: true, columns: 120, rows: 40 };

export interface Outcome {
  code: number;
  out: string;
  err: string;
}

export interface RunOptions {
  address: string;
  key: string;
  stdin?: string | Buffer | Readable;
  interrupted?: AbortSignal;
  /** Interrupts the command once what it has said so far matches. */
  interruptAt?: RegExp;
  /** Whether standard error is a terminal, on which bars are drawn. */
  isTerminal?: boolean;
}

export async function runCommand(options: RunOptions, argv: readonly string[]): Promise<Outcome> {
  const stdout = new PassThrough();
  const stderr = Object.assign(new PassThrough(), options.isTerminal === true ? TERMINAL : {});
  const interrupted = interruptionOf(options, [stdout, stderr]);
  const read = Promise.all([text(stdout), text(stderr)]);
  let code = 0;
  await runCommandLine(
    {
      env: { ASSAY_ADDRESS: options.address, ASSAY_API_KEY: options.key },
      stdin: toStdin(options.stdin),
      stdout,
      stderr,
      watchInterrupt: () => interrupted,
      setExitCode: (found) => {
        code = found;
      },
    },
    argv,
  );
  stdout.end();
  stderr.end();
  const [out, err] = await read;
  return { code, out, err };
}

function toStdin(stdin: RunOptions['stdin']): Readable {
  if (stdin instanceof Readable) return stdin;
  return Readable.from(stdin === undefined ? [] : [stdin]);
}

function interruptionOf(
  { interrupted, interruptAt }: RunOptions,
  outputs: readonly PassThrough[],
): AbortSignal {
  const controller = new AbortController();
  if (interruptAt === undefined) return interrupted ?? controller.signal;
  for (const output of outputs) {
    let said = '';
    output.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
      if (interruptAt.test(said)) controller.abort();
    });
  }
  return controller.signal;
}

/** Each line as JSON. */
export function linesOf({ out }: Outcome): Record<string, unknown>[] {
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

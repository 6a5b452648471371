/** Runs one command line in this process, against a running daemon, and hands back what it said. */
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCommandLine } from '../../src/cli/program.ts';

export interface Outcome {
  code: number;
  out: string;
  err: string;
}

export interface RunOptions {
  address: string;
  key: string;
  stdin?: string | Buffer;
  interrupted?: AbortSignal;
}

export async function runCommand(options: RunOptions, argv: readonly string[]): Promise<Outcome> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const read = Promise.all([text(stdout), text(stderr)]);
  let code = 0;
  await runCommandLine(
    {
      env: { ASSAY_ADDRESS: options.address, ASSAY_API_KEY: options.key },
      stdin: Readable.from(options.stdin === undefined ? [] : [options.stdin]),
      stdout,
      stderr,
      watchInterrupt: () => options.interrupted ?? new AbortController().signal,
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

/** Each line as JSON. */
export function linesOf({ out }: Outcome): Record<string, unknown>[] {
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

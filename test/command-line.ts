/** The command line as its user runs it: a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { COMPILED, TEST_KEY, type TestDaemon } from './daemon.ts';

export interface CommandOutcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

const LAUNCHER = join(import.meta.dirname, '..', 'bin', 'assay');

export async function runCommand(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<CommandOutcome> {
  const child = spawn(LAUNCHER, args, {
    env: { PATH: process.env.PATH, ...COMPILED, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

/** What a command needs to reach the daemon as its administrator. */
export function reach(daemon: TestDaemon): Record<string, string> {
  return { ASSAY_ADDRESS: daemon.grpc, ASSAY_API_KEY: TEST_KEY };
}

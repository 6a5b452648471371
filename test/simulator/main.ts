/** Runs histories: `--from N --count N`, or `--seed N`. Prints JSON last; exit code 1 on a miss. See `fleet.ts`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { numberArgument } from '../heavy/random.ts';

/** Files here are memory: a flush costs nothing. */
const MEMORY_FOLDER = '/dev/shm';

export interface HistorySums {
  histories: number;
  lives: number;
  steps: number;
  accepted: number;
  /** Results of workers on other boxes. */
  brought: number;
  seconds: number;
  /** Hash of the last history's trace; two runs of one seed have the same. */
  traceHash: string;
}

async function run(): Promise<number> {
  // The daemon's own code: not for the process that only starts this one.
  const [{ HistoryFault, runHistory }, { Turns }] = await Promise.all([
    import('./history.ts'),
    import('./turns.ts'),
  ]);
  const seed = numberArgument('seed', 0);
  const from = seed > 0 ? seed : numberArgument('from', 1);
  const count = seed > 0 ? 1 : numberArgument('count', 100);
  const folder = mkdtempSync(join(MEMORY_FOLDER, 'assay-simulator-'));
  mkdirSync(join(folder, 'turns'));
  using turns = new Turns(join(folder, 'turns'));
  const sums: HistorySums = {
    histories: 0,
    lives: 0,
    steps: 0,
    accepted: 0,
    brought: 0,
    seconds: 0,
    traceHash: '',
  };
  const startedMs = performance.now();
  try {
    for (let at = from; at < from + count; at += 1) {
      const { lives, steps, accepted, brought, traceHash } = await runHistory(
        at,
        join(folder, 'machine'),
        turns,
      );
      sums.histories += 1;
      sums.lives += lives;
      sums.steps += steps;
      sums.accepted += accepted;
      sums.brought += brought;
      sums.traceHash = traceHash;
    }
  } catch (error) {
    if (!(error instanceof HistoryFault)) throw error;
    const { cause } = error;
    process.stdout.write(`${error.message}\n${cause instanceof Error ? cause.stack : ''}\n`);
    return 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  sums.seconds = Number(((performance.now() - startedMs) / 1000).toFixed(1));
  process.stdout.write(`${JSON.stringify(sums)}\n`);
  return 0;
}

/** With one thread for files, so that they end in the order in which they began. */
async function runInOneThread(): Promise<number> {
  const env = { ...process.env, UV_THREADPOOL_SIZE: '1', UV_USE_IO_URING: '0' };
  const child = spawn(process.execPath, process.argv.slice(1), { env, stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

process.exitCode = process.env.UV_THREADPOOL_SIZE === '1' ? await run() : await runInOneThread();

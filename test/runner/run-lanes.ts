/** Runs of test files beside each other, reported as one. */

import { finished } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { namingSources } from './built-tests.ts';

export interface Lane {
  files: readonly string[];
  /** So many of them at once. */
  atOnce: number;
}

export interface LaneOptions {
  timeoutMs: number;
  execArgv: readonly string[];
}

/** A run's last words: `fail 0`, `duration_ms 12.5`. */
const SUM = /^(\S+) ([\d.]+)$/;
const TIME = 'duration_ms';

/** Resolves with whether every test passed, once everything is written. */
export async function runLanes(
  lanes: readonly Lane[],
  { timeoutMs, execArgv }: LaneOptions,
): Promise<boolean> {
  const reporter = new spec();
  reporter.pipe(process.stdout, { end: false });
  const sums = new Map<string, number>();
  let isGood = true;
  // `node --test` would sort the files by their names.
  const runs = lanes
    .filter(({ files }) => files.length > 0)
    .map(({ files, atOnce }) =>
      run({ files: [...files], concurrency: atOnce, timeout: timeoutMs, execArgv: [...execArgv] }),
    );
  for (const results of runs) {
    results.on('data', (event) => {
      const sum =
        event.type === 'test:diagnostic' && event.data.file === undefined && SUM.exec(event.data.message);
      if (sum) return addSum(sums, sum[1] ?? '', Number(sum[2]));
      if (event.type === 'test:fail') {
        isGood = false;
        nameSources(event.data.details.error);
      }
      reporter.write(event);
    });
  }
  await Promise.all(runs.map((results) => finished(results)));
  for (const [name, value] of sums)
    reporter.write({
      type: 'test:diagnostic',
      data: { nesting: 0, message: `${name} ${value}`, level: 'info' },
    });
  reporter.end();
  await finished(reporter);
  return isGood;
}

/** Times are of runs that began together. */
function addSum(sums: Map<string, number>, name: string, value: number): void {
  const known = sums.get(name) ?? 0;
  sums.set(name, name === TIME ? Math.max(known, value) : known + value);
}

function nameSources(error: unknown): void {
  for (let at = error; at instanceof Error; at = at.cause)
    if (at.stack !== undefined) Object.defineProperty(at, 'stack', { value: namingSources(at.stack) });
}

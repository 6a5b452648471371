/** The twenty slowest files of the last run of the tests, and what all of them took: `npm run test:times`, and the end of each run. */
import { existsSync, readFileSync } from 'node:fs';
import { TIMES_FILE } from './run-files.ts';
import type { FileTimes } from './times.ts';

const SHOWN = 20;
const HEADS = ['seconds', 'cpu', 'waiting', 'daemons', 'starting'];

function cellsOf({ seconds, processorSeconds, daemonStarts, daemonStartSeconds }: FileTimes): string[] {
  const times = [seconds, processorSeconds, Math.max(0, seconds - processorSeconds)];
  const daemons = [String(daemonStarts), daemonStartSeconds.toFixed(1)];
  return [...times.map((time) => time.toFixed(1)), ...daemons];
}

function line(cells: readonly string[], name: string): string {
  return `${cells.map((cell) => cell.padStart(9)).join('')}  ${name}\n`;
}

function add(sum: FileTimes, times: FileTimes): FileTimes {
  return {
    file: sum.file,
    seconds: sum.seconds + times.seconds,
    processorSeconds: sum.processorSeconds + times.processorSeconds,
    daemonStarts: sum.daemonStarts + times.daemonStarts,
    daemonStartSeconds: sum.daemonStartSeconds + times.daemonStartSeconds,
  };
}

/** Throws if no run was timed yet. */
export function printTimes(): void {
  if (!existsSync(TIMES_FILE)) throw new Error('no run of the tests was timed yet; run `npm test` first');
  const lines = readFileSync(TIMES_FILE, 'utf8').trim().split('\n');
  const rows = lines.map((text): FileTimes => JSON.parse(text));
  const none = { seconds: 0, processorSeconds: 0, daemonStarts: 0, daemonStartSeconds: 0 };
  const all = rows.reduce(add, { file: `all ${rows.length} files`, ...none });
  const slowest = rows.toSorted((a, b) => b.seconds - a.seconds).slice(0, SHOWN);
  process.stdout.write(line(HEADS, 'file'));
  for (const row of [...slowest, all]) process.stdout.write(line(cellsOf(row), row.file));
}

if (import.meta.main) printTimes();

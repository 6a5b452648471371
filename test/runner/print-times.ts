/** `npm run test:times`: the twenty slowest files of the last run of the tests, and what all of them waited for. */
import { readFileSync } from 'node:fs';
import { TIMES_FILE } from './run-files.ts';
import type { FileTimes } from './times.ts';

const SHOWN = 20;

function readTimes(): FileTimes[] {
  try {
    return readFileSync(TIMES_FILE, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as FileTimes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error('no run of the tests was timed yet; run `npm test` first', { cause: error });
  }
}

function row({ file, seconds, processorSeconds, daemonStarts, daemonStartSeconds }: FileTimes): string {
  const figures = [seconds, processorSeconds, Math.max(0, seconds - processorSeconds)];
  const cells = figures.map((figure) => figure.toFixed(1).padStart(9));
  return `${cells.join('')}${String(daemonStarts).padStart(9)}${daemonStartSeconds.toFixed(1).padStart(9)}  ${file}`;
}

const rows = readTimes().toSorted((a, b) => b.seconds - a.seconds);
const sum = (of: (times: FileTimes) => number): number => rows.reduce((total, times) => total + of(times), 0);
const all: FileTimes = {
  file: `all ${rows.length} files`,
  seconds: sum(({ seconds }) => seconds),
  processorSeconds: sum(({ processorSeconds }) => processorSeconds),
  daemonStarts: sum(({ daemonStarts }) => daemonStarts),
  daemonStartSeconds: sum(({ daemonStartSeconds }) => daemonStartSeconds),
};
const heads = ['seconds', 'cpu', 'waiting', 'daemons', 'starting'].map((head) => head.padStart(9)).join('');
process.stdout.write(`${[heads, ...rows.slice(0, SHOWN).map(row), row(all)].join('\n')}\n`);

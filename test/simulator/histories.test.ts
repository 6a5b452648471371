/** Forty histories of a daemon that dies, fills its disk and loses its children: every invariant holds at every step. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runFleet } from './fleet.ts';
import type { HistorySums } from './main.ts';

/** Each has a seed of its own and is like any other: `npm run test:heavy` runs thousands. */
const HISTORIES = 40;

test('forty histories keep every invariant, and a seed gives the same history each time', async (context) => {
  const { sums, traces, faults } = await runFleet({
    from: 1,
    count: HISTORIES,
    processes: availableParallelism(),
  });
  assert.deepEqual(faults, []);
  assert.equal(sums.histories, HISTORIES);
  // A history in which nothing dies or nothing is accepted shows nothing.
  assert.ok(sums.brought > HISTORIES / 10, JSON.stringify(sums));
  assert.ok(sums.lives > 2 * HISTORIES && sums.accepted > HISTORIES, JSON.stringify(sums));
  context.diagnostic(`${JSON.stringify(sums)}: ${(sums.histories / sums.seconds).toFixed(1)} a second`);
  assert.equal(new Set(traces).size, traces.length);
  assert.equal(runSeed(HISTORIES).traceHash, traces.at(-1));
});

function runSeed(seed: number): HistorySums {
  const main = join(import.meta.dirname, 'main.ts');
  const { stdout } = spawnSync(process.execPath, [main, '--seed', String(seed)], { encoding: 'utf8' });
  return JSON.parse(stdout.trimEnd()) as HistorySums;
}

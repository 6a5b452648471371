/** How soon a picture's earlier copies are found in a million hashes, and how long nothing else can happen meanwhile. */
import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { COPY_DISTANCE_MAX } from '../../src/domain/records/seen-before.ts';
import { LikenessIndex } from '../../src/machinery/likeness/likeness-index.ts';
import { type Row, RUNS } from '../row.ts';

const HASHES = 1_000_000;
const SEARCHES = 100;

export async function measureLikenesses(): Promise<Row[]> {
  const index = new LikenessIndex();
  for (let sequence = 1; sequence <= HASHES; sequence++) {
    index.add({ sequence, accountId: 1, hash: randomBytes(32).toString('hex') });
    if (sequence % 10_000 === 0) await nextTurn();
  }
  const searched: number[] = [];
  const held: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const times: number[] = [];
    const gaps: number[] = [];
    for (let search = 0; search < SEARCHES; search++) {
      const queries = [randomBytes(32), randomBytes(32)].map((hash) => ({
        hash: hash.toString('hex'),
        distanceMax: COPY_DISTANCE_MAX,
      }));
      const startedAt = performance.now();
      const found = index.search(queries, new Set([1]), 1000);
      gaps.push(await longestGap(found));
      times.push(performance.now() - startedAt);
    }
    searched.push(percentileOf(times, 0.99));
    held.push(percentileOf(gaps, 0.99));
  }
  const row = { unit: 'ms', better: 'lower' } as const;
  return [
    {
      ...row,
      name: `copies of a picture among ${HASHES} hashes, mirrored too, p99 of ${SEARCHES}`,
      runs: searched,
    },
    { ...row, name: 'and how long the event loop was held by it at most, p99', runs: held },
  ];
}

async function longestGap(work: Promise<unknown>): Promise<number> {
  let isDone = false;
  const ended = work.finally(() => {
    isDone = true;
  });
  let longest = 0;
  let last = performance.now();
  while (!isDone) {
    await nextTurn();
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }
  await ended;
  return longest;
}

function percentileOf(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? 0;
}

/** How soon a picture's earlier copies are found in a million hashes and by its parts among many pictures, and how long nothing else can happen meanwhile. */
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { quantile } from '../../evaluate/quantile.ts';
import { CANDIDATES_MAX, VOTES_MIN } from '../../src/app/records/kept-pictures.ts';
import {
  ASKED_KEYPOINTS_MAX,
  type AskedKeypoints,
  emptyKeypoints,
  type Keypoints,
  STORED_KEYPOINTS_MAX,
  STORED_SIDE,
  UNSURE_BITS,
} from '../../src/domain/media/keypoints.ts';
import { COPY_DISTANCE_MAX } from '../../src/domain/records/seen-before.ts';
import { KeypointIndex } from '../../src/machinery/likeness/keypoint-index.ts';
import { LikenessIndex } from '../../src/machinery/likeness/likeness-index.ts';
import { type Row, RUNS } from '../row.ts';

const HASHES = 1_000_000;
const SEARCHES = 100;
/** The index has two chapters in its file. */
const PICTURES = 262_144;
const SETTLE_PICTURES = 1024;

export async function measureLikenesses(): Promise<Row[]> {
  const index = new LikenessIndex();
  for (let sequence = 1; sequence <= HASHES; sequence++) {
    index.add({ sequence, accountId: 1, hash: randomBytes(32).toString('hex') });
    if (sequence % 10_000 === 0) await nextTurn();
  }
  const { searched, held } = await timeSearches(() => {
    const queries = [randomBytes(32), randomBytes(32)].map((hash) => ({
      hash: hash.toString('hex'),
      distanceMax: COPY_DISTANCE_MAX,
    }));
    return () => index.search(queries, new Set([1]), 1000);
  });
  const row = { unit: 'ms', better: 'lower' } as const;
  return [
    {
      ...row,
      name: `copies of a picture among ${HASHES} hashes, mirrored too, p99 of ${SEARCHES}`,
      runs: searched,
    },
    { ...row, name: 'and how long the event loop was held by it at most, p99', runs: held },
    ...(await measureParts()),
  ];
}

/** Random bits: words are as rare as they can be, so that real pictures take longer (docs/likeness.md). */
async function measureParts(): Promise<Row[]> {
  using index = new KeypointIndex(tmpdir());
  while (index.count < PICTURES) {
    index.add({ sequence: index.count + 1, accountId: 1, keypoints: randomKeypoints(STORED_KEYPOINTS_MAX) });
    if (index.count % SETTLE_PICTURES === 0) await index.settle();
  }
  const { searched, held } = await timeSearches(() => {
    const queries = [randomAsked(), randomAsked()];
    return () => index.search(queries, new Set([1]), CANDIDATES_MAX, VOTES_MIN);
  });
  const row = { unit: 'ms', better: 'lower' } as const;
  return [
    {
      ...row,
      name: `pictures that share words with one, among ${PICTURES}, mirrored too, p99 of ${SEARCHES}`,
      runs: searched,
    },
    { ...row, name: 'and how long the event loop was held by that at most, p99', runs: held },
  ];
}

/** The 99th percentiles of each run, in milliseconds: how long a search took, and how long it blocked the event loop at most. */
async function timeSearches(
  prepare: () => () => Promise<unknown>,
): Promise<{ searched: number[]; held: number[] }> {
  const searched: number[] = [];
  const held: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const times: number[] = [];
    const gaps: number[] = [];
    for (let count = 0; count < SEARCHES; count++) {
      const search = prepare();
      const startedAt = performance.now();
      gaps.push(await longestGap(search()));
      times.push(performance.now() - startedAt);
    }
    searched.push(quantile(times, 0.99));
    held.push(quantile(gaps, 0.99));
  }
  return { searched, held };
}

function randomKeypoints(count: number): Keypoints {
  const keypoints = emptyKeypoints(STORED_SIDE, STORED_SIDE, count);
  keypoints.words.set(new Int32Array(Uint8Array.from(randomBytes(keypoints.words.byteLength)).buffer));
  keypoints.angle.set(randomBytes(count));
  return keypoints;
}

function randomAsked(): AskedKeypoints {
  const unsure = Uint8Array.from({ length: ASKED_KEYPOINTS_MAX * UNSURE_BITS }, (_, at) => at % UNSURE_BITS);
  return { ...randomKeypoints(ASKED_KEYPOINTS_MAX), unsure };
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

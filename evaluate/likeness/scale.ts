/**
 * What a search for parts costs among many pictures: `node evaluate/likeness/scale.ts FOLDER ROWS...`. Some pictures of the folder
 * are kept as they are; each further row is mixed of their keypoints with three bits turned, so that words are as common as they
 * are in pictures. No mixed row can be a copy: they cost time and crowd the candidates, and say nothing about false finds.
 */
import { tmpdir } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CANDIDATES_MAX, VOTES_MIN } from '../../src/app/records/kept-pictures.ts';
import {
  DESCRIPTOR_WORDS,
  emptyKeypoints,
  type Keypoints,
  STORED_KEYPOINTS_MAX,
  STORED_SIDE,
} from '../../src/domain/media/keypoints.ts';
import { findSharedPart } from '../../src/domain/media/shared-part.ts';
import { KeypointIndex } from '../../src/machinery/likeness/keypoint-index.ts';
import { findAskedKeypoints } from '../../src/worker/describe-picture.ts';
import { findKeypoints } from '../../src/worker/keypoints/find-keypoints.ts';
import { quantile } from '../quantile.ts';
import { makeRandom } from '../random.ts';
import { readPicture } from './copies.ts';
import { listPictures } from './list-pictures.ts';

const KEPT_MAX = 250;
const SEARCHES = 100;
const TURNED_BITS = 3;
const SETTLE_ROWS = 1024;
const ALL_ACCOUNTS = new Set([1]);

const [folder = '.', ...sizes] = process.argv.slice(2);
const { kept, asked } = await describe(await listPictures(folder));
const index = new KeypointIndex(tmpdir());
for (const rows of sizes.map(Number)) {
  await growTo(rows);
  await measure();
}

async function describe(paths: readonly string[]): Promise<{ kept: Keypoints[]; asked: Keypoints[][] }> {
  const step = Math.max(1, paths.length / (KEPT_MAX + SEARCHES));
  const chosen = Array.from({ length: KEPT_MAX + SEARCHES }, (_, at) => paths[Math.floor(at * step)]);
  const described = { kept: [] as Keypoints[], asked: [] as Keypoints[][] };
  for (const [at, path] of [...new Set(chosen)].entries()) {
    const picture = path === undefined ? null : await readPicture(path, 2048).catch(() => null);
    if (picture === null) continue;
    const isAsked = at % (1 + KEPT_MAX / SEARCHES) === 0;
    const wanted = { side: STORED_SIDE, countMax: STORED_KEYPOINTS_MAX };
    if (isAsked) described.asked.push(await findAskedKeypoints(picture));
    else described.kept.push(await findKeypoints(picture, wanted));
  }
  return described;
}

async function growTo(rows: number): Promise<void> {
  while (index.count < rows) {
    const sequence = index.count + 1;
    index.add({ sequence, accountId: 1, keypoints: rowOf(sequence) });
    if (sequence % SETTLE_ROWS !== 0) continue;
    await index.settle();
    await nextTurn();
  }
  await index.settle();
}

/** Gives the same row for the same number, so that a candidate can be compared without keeping all rows. */
function rowOf(sequence: number): Keypoints {
  const own = kept[sequence - 1];
  if (own !== undefined) return own;
  const draw = makeRandom(sequence);
  const mixed = emptyKeypoints(STORED_SIDE, STORED_SIDE, STORED_KEYPOINTS_MAX);
  for (let to = 0; to < mixed.count; to++) {
    const of = kept[Math.floor(draw() * kept.length)];
    if (of === undefined || of.count === 0) continue;
    const from = Math.floor(draw() * of.count);
    const place = { x: (of.x[from] ?? 0) / of.width, y: (of.y[from] ?? 0) / of.height };
    [mixed.x[to], mixed.y[to]] = [place.x * STORED_SIDE, place.y * STORED_SIDE];
    [mixed.angle[to], mixed.level[to]] = [of.angle[from] ?? 0, of.level[from] ?? 0];
    const [source, target] = [from * DESCRIPTOR_WORDS, to * DESCRIPTOR_WORDS];
    for (let word = 0; word < DESCRIPTOR_WORDS; word++)
      mixed.words[target + word] = of.words[source + word] ?? 0;
    for (let bit = 0; bit < TURNED_BITS; bit++) {
      const at = Math.floor(draw() * DESCRIPTOR_WORDS * 32);
      const word = target + (at >> 5);
      mixed.words[word] = (mixed.words[word] ?? 0) ^ (1 << (at & 31));
    }
  }
  return mixed;
}

async function measure(): Promise<void> {
  const [looked, whole]: [number[], number[]] = [[], []];
  for (const queries of asked) {
    const begun = process.cpuUsage();
    const hits = await index.search(queries, ALL_ACCOUNTS, CANDIDATES_MAX, VOTES_MIN);
    looked.push(millisecondsSince(begun));
    const candidates = hits.map((hit) => ({ ...hit, keypoints: rowOf(hit.sequence) }));
    const compared = process.cpuUsage();
    for (const { query, keypoints } of candidates) {
      const picture = queries[query];
      if (picture !== undefined) findSharedPart(picture, keypoints);
    }
    whole.push((looked.at(-1) ?? 0) + millisecondsSince(compared));
  }
  const shown = [looked, whole].map(
    (times) => `${Math.round(quantile(times, 0.5))} · ${Math.round(quantile(times, 0.99))} ms`,
  );
  console.log(
    `${index.count} rows, ${mebibytes(index.bytes)} MiB in memory, ${mebibytes(index.fileBytes)} in a file, ${asked.length} searches: ` +
      `index ${shown[0]}, with the places of candidates ${shown[1]} (processor time, median · 99th)`,
  );
}

function millisecondsSince(begun: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1000;
}

function mebibytes(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}

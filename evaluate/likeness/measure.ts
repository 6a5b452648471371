/**
 * How often a copy is found, and what is found by chance: `node evaluate/likeness/measure.ts FOLDER [STEP] [MORE_FOLDERS...]`.
 * All pictures of all folders are indexed; copies by a rule are made of each STEP-th picture of the first. Two pictures are
 * unlike where their folders differ (one folder holds one source), and the copy was not made with them.
 */
import { dirname } from 'node:path';
import { CANDIDATES_MAX, VOTES_MIN } from '../../src/app/records/kept-pictures.ts';
import { type Keypoints, STORED_KEYPOINTS_MAX, STORED_SIDE } from '../../src/domain/media/keypoints.ts';
import { findSharedPart } from '../../src/domain/media/shared-part.ts';
import { SHARED_PLACES_MIN } from '../../src/domain/records/found-picture.ts';
import { KeypointIndex } from '../../src/machinery/likeness/keypoint-index.ts';
import { findKeypoints } from '../../src/worker/keypoints/find-keypoints.ts';
import { findAskedKeypoints } from '../../src/worker/steps/likeness.ts';
import { makeRandom } from '../random.ts';
import { COPIES, type MakeCopy, type Pixels, readPicture } from './copies.ts';
import { listPictures } from './list-pictures.ts';
import { photographScreen } from './screen-photograph.ts';

const OTHERS = 3;
const ALL_ACCOUNTS = new Set([1]);

interface Kept {
  path: string;
  keypoints: Keypoints;
}

const [folder = '.', step = '1', ...more] = process.argv.slice(2);
const kept: Kept[] = [];
const index = new KeypointIndex();
for (const path of [...(await listPictures(folder)), ...(await Promise.all(more.map(listPictures))).flat()]) {
  const picture = await readPicture(path, 2048).catch(() => null);
  if (picture === null) continue;
  const wanted = { side: STORED_SIDE, countMax: STORED_KEYPOINTS_MAX };
  kept.push({ path, keypoints: await findKeypoints(picture, wanted) });
  index.add({ sequence: kept.length, accountId: 1, keypoints: kept.at(-1)?.keypoints as Keypoints });
}
console.log(`${kept.length} pictures are kept`);

const found = new Map<string, boolean[]>();
const chance = new Map<number, number>();
let searches = 0;
const copies: Readonly<Record<string, MakeCopy>> = { ...COPIES, 'photograph of a screen': photographScreen };
const originals = kept.filter(({ path }) => path.startsWith(folder));
for (let at = 0; at < originals.length; at += Number(step)) await measure(at);
for (const [name, hits] of found) {
  const share = hits.filter(Boolean).length / hits.length;
  console.log(`${name.padEnd(28)} ${hits.length} copies, ${(share * 100).toFixed(1)} % found`);
}
const all = [...found.values()].flat();
console.log(`all: ${((all.filter(Boolean).length / all.length) * 100).toFixed(1)} % of ${all.length}`);
const told = [...chance].filter(([places]) => places >= SHARED_PLACES_MIN).sort(([a], [b]) => a - b);
console.log(`${searches} searches, ${searches * kept.length} pairs; unlike pictures told, by places:`, told);

async function measure(at: number): Promise<void> {
  const original = originals[at];
  if (original === undefined) return;
  const draw = makeRandom(1000 + at * 7919);
  const partners = Array.from({ length: OTHERS }, () => originals[Math.floor(draw() * originals.length)]);
  const others = partners.filter((other) => other !== undefined);
  const picture = await readPicture(original.path);
  const pixels = await Promise.all(others.map(({ path }) => readPicture(path)));
  const related = new Set([original, ...others].map(({ path }) => dirname(path)));
  for (const [name, make] of Object.entries(copies)) {
    const hits = await search(await make(picture, draw, pixels));
    searches += 1;
    found.set(name, [...(found.get(name) ?? []), (hits.get(original.path) ?? 0) >= SHARED_PLACES_MIN]);
    for (const [path, places] of hits) {
      if (!related.has(dirname(path))) chance.set(places, (chance.get(places) ?? 0) + 1);
      if (!related.has(dirname(path)) && places >= SHARED_PLACES_MIN)
        console.log(name, original.path, path, places);
    }
  }
}

/** Places that agree, by the path of the kept picture. */
async function search(copy: Pixels): Promise<Map<string, number>> {
  const asked = await findAskedKeypoints(copy);
  const hits = new Map<string, number>();
  for (const { sequence, query } of await index.search(asked, ALL_ACCOUNTS, CANDIDATES_MAX, VOTES_MIN)) {
    const candidate = kept[sequence - 1];
    const one = asked[query];
    if (candidate === undefined || one === undefined) continue;
    const { places } = findSharedPart(one, candidate.keypoints);
    hits.set(candidate.path, Math.max(places, hits.get(candidate.path) ?? 0));
  }
  return hits;
}

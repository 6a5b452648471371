/**
 * How often a copy is found: `node evaluate/likeness/found-copies.ts MANIFEST FOLDER CACHE choose|measure [PICTURES]`. Copies by a
 * rule are made of pictures of a manifest (models/training/corpus), at most three of each owner; they are searched among what CACHE
 * has of other pictures (false-finds.ts fills it). Owners are parted in two: bounds are chosen by one part, and the other says what is true.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { CANDIDATES_MAX, VOTES_MIN } from '../../src/app/records/kept-pictures.ts';
import {
  type AskedKeypoints,
  type Keypoints,
  packAskedKeypoints,
  STORED_KEYPOINTS_MAX,
  unpackAskedKeypoints,
  unpackKeypoints,
} from '../../src/domain/media/keypoints.ts';
import { findSharedPart } from '../../src/domain/media/shared-part.ts';
import { isSharedPart } from '../../src/domain/records/found-picture.ts';
import { LIKENESS_QUALITY_MIN } from '../../src/domain/records/seen-before.ts';
import { KeypointIndex } from '../../src/machinery/likeness/keypoint-index.ts';
import { describePixels, findAskedKeypoints } from '../../src/worker/describe-picture.ts';
import { makeRandom } from '../random.ts';
import { COPIES, type MakeCopy, type Pixels, readPicture } from './copies.ts';
import { type CorpusPicture, DescribedPictures, decodePicture, readManifest } from './corpus-pictures.ts';
import { photographScreen } from './screen-photograph.ts';

const OF_OWNER_MAX = 3;
const OTHERS = 3;
const SETTLE_ROWS = 1024;
const ALL_ACCOUNTS = new Set([1]);
const KEPT = '-kept.json';
const copies: Readonly<Record<string, MakeCopy>> = { ...COPIES, 'photograph of a screen': photographScreen };

const [manifest = '', folder = '.', cache = '', part = 'measure', count = '90'] = process.argv.slice(2);
if (!['choose', 'measure'].includes(part)) throw new Error('expected MANIFEST FOLDER CACHE choose|measure');
const described = new DescribedPictures(cache);
const originals = chooseOriginals(await readManifest(manifest, folder));
const rows: Keypoints[] = [];
const index = new KeypointIndex(tmpdir());
for (const packed of await readOthers()) await keep(packed);
const places = new Map<CorpusPicture, number>();
for (const original of originals) {
  const [packed] = await described.read(`${original.sha256}-whole`, () => describeWhole(original));
  if (packed !== undefined) places.set(original, await keep(packed));
}
await index.settle();
console.log(
  `${rows.length} rows; copies of ${originals.length} pictures, ${originals.length - places.size} of them too plain`,
);
// The decoder of the appliance loads only what it knows; a caption is drawn by SVG.
sharp.unblock({ operation: ['VipsForeignLoadSvg'] });
const found = new Map<string, { direct: number; searched: number }>();
for (const [at, original] of originals.entries()) await measure(at, original);
report();

/** The hash of the owner's name decides the side. */
function chooseOriginals(pictures: readonly CorpusPicture[]): CorpusPicture[] {
  const taken = new Map<string, number>();
  const side = part === 'choose' ? 0 : 1;
  const chosen = pictures.filter(({ owner }) => {
    const coin = (createHash('sha256').update(`copies${owner}`).digest()[0] as number) & 1;
    const former = taken.get(owner) ?? 0;
    taken.set(owner, former + 1);
    return coin === side && former < OF_OWNER_MAX;
  });
  return chosen.slice(0, Number(count));
}

/** Names of cached descriptions that are not of originals. */
async function readOthers(): Promise<string[]> {
  const own = new Set(originals.map(({ sha256 }) => `${sha256}${KEPT}`));
  const names = (await readdir(cache)).filter((name) => name.endsWith(KEPT) && !own.has(name));
  const packed = await Promise.all(
    names.map(async (name) => JSON.parse(await readFile(join(cache, name), 'utf8'))),
  );
  return packed.flat();
}

async function keep(packed: string): Promise<number> {
  const keypoints = unpackKeypoints(Buffer.from(packed, 'base64'));
  if (keypoints === undefined) throw new Error('the cache holds no keypoints: empty it');
  rows.push(keypoints);
  index.add({ sequence: rows.length, accountId: 1, keypoints });
  if (rows.length % SETTLE_ROWS === 0) await index.settle();
  return rows.length;
}

async function describeWhole(original: CorpusPicture): Promise<string[]> {
  const picture = await decodePicture(original);
  const likeness = picture === null ? null : await describePixels(picture, STORED_KEYPOINTS_MAX);
  if (likeness?.keypoints === undefined || likeness.quality < LIKENESS_QUALITY_MIN) return [];
  return [likeness.keypoints];
}

async function measure(at: number, original: CorpusPicture): Promise<void> {
  const draw = makeRandom(1000 + at * 7919);
  const partners = Array.from(
    { length: OTHERS },
    () => originals[Math.floor(draw() * originals.length)] as CorpusPicture,
  );
  let read: Promise<Pixels[]> | undefined;
  for (const [place, [name, make]] of Object.entries(copies).entries()) {
    const packed = await described.read(`${original.sha256}-copy-${place}`, async () => {
      read ??= Promise.all([original, ...partners].map(({ path }) => readPicture(path)));
      const [picture, ...others] = await read;
      const copy = await make(picture as Pixels, makeRandom(at * 7919 + place), others);
      const asked = await findAskedKeypoints(copy);
      return asked.map((one) => Buffer.from(packAskedKeypoints(one)).toString('base64'));
    });
    const sums = found.get(name) ?? { direct: 0, searched: 0 };
    const { isAlike, isFound } = await search(packed, places.get(original));
    found.set(name, { direct: sums.direct + Number(isAlike), searched: sums.searched + Number(isFound) });
  }
}

async function search(
  packed: readonly string[],
  sequence: number | undefined,
): Promise<{ isAlike: boolean; isFound: boolean }> {
  if (sequence === undefined) return { isAlike: false, isFound: false };
  const asked = packed.map((one) => unpackAskedKeypoints(Buffer.from(one, 'base64')) as AskedKeypoints);
  const kept = rows[sequence - 1] as Keypoints;
  const isAlike = asked.some((one) => isSharedPart(findSharedPart(one, kept)));
  const hits = await index.search(asked, ALL_ACCOUNTS, CANDIDATES_MAX, VOTES_MIN);
  const isFound = hits.some(
    (hit) => hit.sequence === sequence && isSharedPart(findSharedPart(asked[hit.query] as Keypoints, kept)),
  );
  return { isAlike, isFound };
}

function report(): void {
  const total = { direct: 0, searched: 0 };
  for (const [name, { direct, searched }] of found) {
    console.log(
      `${name.padEnd(28)} found ${searched} of ${originals.length}; compared with the original alone ${direct}`,
    );
    total.direct += direct;
    total.searched += searched;
  }
  const all = originals.length * found.size;
  const share = (of: number) => `${((100 * of) / all).toFixed(1)} %`;
  console.log(
    `all: found ${share(total.searched)} of ${all}; compared with the original alone ${share(total.direct)}`,
  );
}

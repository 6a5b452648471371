/**
 * How often a search names an unlike picture: `node evaluate/likeness/false-finds.ts MANIFEST FOLDER CACHE SECONDS`. Pictures of a
 * manifest (models/training/corpus) are described as the appliance does it; groups of sources are either kept or searched with,
 * and no owner is on both sides. What is found is listed, to be looked at: two owners may truly have one logo or one photograph.
 * Nearly half of the time goes to rows, the rest to searches, and what is left to searches with the rows themselves, one owner's among the others'. CACHE holds what was described, so that a later run goes on.
 */

import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import sharp from 'sharp';
import { CANDIDATES_MAX, VOTES_MIN } from '../../src/app/records/kept-pictures.ts';
import {
  type AskedKeypoints,
  type Keypoints,
  packAskedKeypoints,
  STORED_KEYPOINTS_MAX,
  STORED_SIDE,
  unpackAskedKeypoints,
  unpackKeypoints,
} from '../../src/domain/media/keypoints.ts';
import { findSharedPart, type Part, type SharedPart } from '../../src/domain/media/shared-part.ts';
import { isSharedPart } from '../../src/domain/records/found-picture.ts';
import { LIKENESS_QUALITY_MIN } from '../../src/domain/records/seen-before.ts';
import { KeypointIndex } from '../../src/machinery/likeness/keypoint-index.ts';
import { describePixels, findAskedKeypoints } from '../../src/worker/describe-picture.ts';
import type { Picture } from '../../src/worker/media/picture.ts';
import { toPixels } from './copies.ts';
import { type CorpusPicture, DescribedPictures, decodePicture, readManifest } from './corpus-pictures.ts';

const ALL_ACCOUNTS = new Set([1]);
const SETTLE_ROWS = 1024;
/** The first byte of its hash decides about a group: below this number its pictures are searched with. */
const ASKED_GROUPS = 96;
const ROWS_SHARE = 0.45;
/** A picture is kept as so many columns and rows of tiles that share no pixel: whole, or in quarters if those are no smaller than what is kept. */
const TILES = 2;
/** Chance matches are shown from so many common places on: how fast their number falls says more than how many pass the bound. */
const SHOWN_PLACES_MIN = 4;

interface Kept extends CorpusPicture {
  keypoints: Keypoints;
}

const [manifest = '', folder = '.', cache = '', seconds = '600'] = process.argv.slice(2);
if (cache === '') throw new Error('expected MANIFEST FOLDER CACHE SECONDS');
const described = new DescribedPictures(cache);
const begun = performance.now();
let undecodable = 0;
const entries = await readManifest(manifest, folder);
const [rows, owners] = [[] as Kept[], new Set<string>()];
const index = new KeypointIndex(tmpdir());
for (const entry of entries.filter((one) => !isAsked(one))) {
  if (isOver(ROWS_SHARE)) break;
  await keep(entry);
}
await index.settle();
console.log(`${rows.length} rows of ${countOf(rows, 'sha256')} pictures, ${countOf(rows, 'group')} groups`);

const [chance, exact] = [new Map<number, number>(), new Map<number, number>()];
const [searched, named] = [[] as CorpusPicture[], new Set<string>()];
let pairs = 0;
for (const entry of entries.filter((one) => isAsked(one) && !owners.has(one.owner))) {
  if (isOver(1)) break;
  await search(entry);
}
report();
const rowsOfOwner = Map.groupBy(rows, ({ owner }) => owner);
for (const row of rows) {
  if (isOver(1)) break;
  await searchRow(row);
}
report();

function isAsked({ group }: CorpusPicture): boolean {
  return (createHash('sha256').update(group).digest()[0] as number) < ASKED_GROUPS;
}

function isOver(share: number): boolean {
  return performance.now() - begun > Number(seconds) * 1000 * share;
}

async function keep(entry: CorpusPicture): Promise<void> {
  for (const packed of await describedOf('kept', entry, describeKept)) {
    const keypoints = unpack(packed);
    owners.add(entry.owner);
    rows.push({ ...entry, keypoints });
    index.add({ sequence: rows.length, accountId: 1, keypoints });
    if (rows.length % SETTLE_ROWS === 0) await index.settle();
  }
}

/** Pictures too plain to be kept are left out. */
async function describeKept(picture: Picture, { sha256 }: CorpusPicture): Promise<string[]> {
  const isLarge = Math.max(picture.width, picture.height) >= TILES * STORED_SIDE;
  // Half of the large pictures stay whole, like most pictures of an archive.
  const tiles =
    isLarge && Number.parseInt(sha256.slice(-1), 16) % 2 === 1 ? await tilesOf(picture) : [picture];
  const likenesses = await Promise.all(tiles.map((tile) => describePixels(tile, STORED_KEYPOINTS_MAX)));
  return likenesses.flatMap((likeness) =>
    likeness?.keypoints === undefined || likeness.quality < LIKENESS_QUALITY_MIN ? [] : [likeness.keypoints],
  );
}

async function tilesOf({ width, height, rgb }: Picture): Promise<Picture[]> {
  const [w, h] = [Math.floor(width / TILES), Math.floor(height / TILES)];
  const places = Array.from({ length: TILES ** 2 }, (_, at) => ({
    left: (at % TILES) * w,
    top: Math.floor(at / TILES) * h,
  }));
  const whole = { raw: { width, height, channels: 3 as const } };
  return await Promise.all(
    places.map((place) => toPixels(sharp(rgb, whole).extract({ ...place, width: w, height: h }))),
  );
}

async function describeAsked(picture: Picture): Promise<string[]> {
  const asked = await findAskedKeypoints(picture);
  return asked.map((one) => Buffer.from(packAskedKeypoints(one)).toString('base64'));
}

/** A picture that cannot be decoded is skipped. */
async function describedOf(
  name: string,
  entry: CorpusPicture,
  describe: (picture: Picture, entry: CorpusPicture) => Promise<string[]>,
): Promise<string[]> {
  return await described.read(`${entry.sha256}-${name}`, async () => {
    const picture = await decodePicture(entry);
    if (picture === null) undecodable += 1;
    return picture === null ? [] : await describe(picture, entry);
  });
}

function unpack(packed: string): Keypoints {
  return known(unpackKeypoints(Buffer.from(packed, 'base64')));
}

function unpackAsked(packed: string): AskedKeypoints {
  return known(unpackAskedKeypoints(Buffer.from(packed, 'base64')));
}

function known<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('the cache holds no keypoints of this version: empty it');
  return value;
}

async function search(entry: CorpusPicture): Promise<void> {
  const asked = (await describedOf('asked', entry, describeAsked)).map(unpackAsked);
  if (asked.length === 0) return;
  searched.push(entry);
  pairs += rows.length;
  await nameUnlike(entry, asked);
}

/** A row is in less detail than what is asked with, and not mirrored: as the frame of a film is that is searched with. */
async function searchRow(row: Kept): Promise<void> {
  searched.push(row);
  pairs += rows.length - (rowsOfOwner.get(row.owner)?.length ?? 0);
  await nameUnlike(row, [row.keypoints]);
}

async function nameUnlike(entry: CorpusPicture, asked: readonly Keypoints[]): Promise<void> {
  const best = new Map<number, SharedPart>();
  for (const { sequence, query } of await index.search(asked, ALL_ACCOUNTS, CANDIDATES_MAX, VOTES_MIN)) {
    const kept = rows[sequence - 1] as Kept;
    if (kept.owner === entry.owner) continue;
    const part = findSharedPart(asked[query] as Keypoints, kept.keypoints);
    const known = best.get(sequence);
    if (known === undefined || isSharedPart(part) || (part.places > known.places && !isSharedPart(known)))
      best.set(sequence, part);
  }
  for (const [sequence, part] of best) {
    chance.set(part.places, (chance.get(part.places) ?? 0) + 1);
    exact.set(part.exactPlaces, (exact.get(part.exactPlaces) ?? 0) + 1);
    if (!isSharedPart(part)) continue;
    named.add(entry.sha256);
    console.log(
      `${part.places} places, ${part.exactPlaces} exact:`,
      ...[entry.path, showPart(part.asked), rows[sequence - 1]?.path, showPart(part.kept)],
    );
  }
}

function showPart({ left, top, right, bottom }: Part): string {
  return [left, top, right, bottom].map((share) => share.toFixed(2)).join(' ');
}

function report(): void {
  const counts = [chance, exact].map((some) =>
    [...some].filter(([places]) => places >= SHOWN_PLACES_MIN).sort(([a], [b]) => a - b),
  );
  console.log(`${searched.length} searches of ${countOf(searched, 'group')} groups, ${pairs} pairs`);
  console.log(
    `${undecodable} pictures could not be decoded; pairs by places that agree, by exact ones:`,
    ...counts,
  );
  for (const count of new Set([0, named.size])) {
    const most = poissonMost(count);
    console.log(
      `if ${count} of ${named.size} searches that named something are false: ${count / searched.length} a search, ` +
        `at most ${most / searched.length}; ${count / pairs} a pair, at most ${most / pairs}`,
    );
  }
}

function countOf(some: readonly CorpusPicture[], name: 'sha256' | 'group'): number {
  return new Set(some.map((entry) => entry[name])).size;
}

/** The mean above which no more than `count` would be seen in less than 5 % of all runs: 3 if nothing was seen. */
function poissonMost(count: number): number {
  const seenAtMost = (mean: number) => {
    let [term, sum] = [Math.exp(-mean), 0];
    for (let seen = 0; seen <= count; seen++) {
      sum += term;
      term *= mean / (seen + 1);
    }
    return sum;
  };
  let [low, high] = [0, 10 + 3 * count];
  while (high - low > 1e-6) [low, high] = narrowed(low, high, seenAtMost);
  return high;
}

function narrowed(low: number, high: number, seenAtMost: (mean: number) => number): [number, number] {
  const middle = (low + high) / 2;
  return seenAtMost(middle) > 0.05 ? [middle, high] : [low, middle];
}

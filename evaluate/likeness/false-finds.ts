/**
 * How often a search names an unlike picture: `node evaluate/likeness/false-finds.ts MANIFEST FOLDER CACHE SECONDS`. Pictures of a
 * manifest (models/training/corpus) are described as the appliance does it; groups of sources are either kept or searched with,
 * and no owner is on both sides. What is found is listed, to be looked at: two owners may truly have one logo or one photograph.
 * Nearly half of the time goes to rows, the rest to searches. CACHE holds what was described, so that a later run goes on.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { CANDIDATES_MAX, VOTES_MIN } from '../../src/app/records/kept-pictures.ts';
import {
  type Keypoints,
  packKeypoints,
  STORED_KEYPOINTS_MAX,
  STORED_SIDE,
  unpackKeypoints,
} from '../../src/domain/media/keypoints.ts';
import { findSharedPart, type Part } from '../../src/domain/media/shared-part.ts';
import { SHARED_PLACES_MIN } from '../../src/domain/records/found-picture.ts';
import { LIKENESS_QUALITY_MIN } from '../../src/domain/records/seen-before.ts';
import { DECODE_LIMITS } from '../../src/engine/decode/decode-limits.ts';
import { KeypointIndex } from '../../src/machinery/likeness/keypoint-index.ts';
import { MediaFaultFound } from '../../src/worker/media/media-fault.ts';
import type { Picture } from '../../src/worker/media/picture.ts';
import { readHeader } from '../../src/worker/pictures/header.ts';
import { decodePixels } from '../../src/worker/pictures/pixels.ts';
import { describeLikeness, findAskedKeypoints } from '../../src/worker/steps/likeness.ts';
import { toPixels } from './copies.ts';

const ALL_ACCOUNTS = new Set([1]);
const SETTLE_ROWS = 1024;
/** The first byte of its hash decides about a group: below this number its pictures are searched with. */
const ASKED_GROUPS = 96;
const ROWS_SHARE = 0.45;
/** A picture is kept as so many columns and rows of tiles that share no pixel: whole, or in quarters where those are no smaller than what is kept. */
const TILES = 2;
/** Chance is shown from so many places on: how fast it falls says more than what passes the bound. */
const SHOWN_PLACES_MIN = 6;

interface Entry {
  path: string;
  sha256: string;
  group: string;
  owner: string;
}

interface Kept extends Entry {
  keypoints: Keypoints;
}

const [manifest = '', folder = '.', cache = '', seconds = '600'] = process.argv.slice(2);
if (cache === '') throw new Error('expected MANIFEST FOLDER CACHE SECONDS');
mkdirSync(cache, { recursive: true });
const begun = performance.now();
let undecodable = 0;
const entries = await readManifest();
const [rows, owners] = [[] as Kept[], new Set<string>()];
const index = new KeypointIndex();
for (const entry of entries.filter((one) => !isAsked(one))) {
  if (isOver(ROWS_SHARE)) break;
  await keep(entry);
}
await index.settle();
console.log(`${rows.length} rows of ${countOf(rows, 'sha256')} pictures, ${countOf(rows, 'group')} groups`);

const [chance, searched, named] = [new Map<number, number>(), [] as Entry[], new Set<string>()];
for (const entry of entries.filter((one) => isAsked(one) && !owners.has(one.owner))) {
  if (isOver(1)) break;
  await search(entry);
}
report();

/** In an order that has nothing to do with the sources, so that a run that is cut off is a sample of all. */
async function readManifest(): Promise<Entry[]> {
  const [head = '', ...lines] = (await readFile(manifest, 'utf8')).trimEnd().split('\n');
  const columns = head.split('\t');
  const found = lines.map((line): Entry => {
    const cells = line.split('\t');
    const cell = (name: string) => cells[columns.indexOf(name)] ?? '';
    const [owner = ''] = cell('repository').toLowerCase().split('/');
    return { path: join(folder, cell('file')), sha256: cell('sha256'), group: cell('group'), owner };
  });
  const present = found.filter(({ path }) => existsSync(path));
  console.log(`${present.length} of ${found.length} pictures are there`);
  return present.sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
}

function isAsked({ group }: Entry): boolean {
  return (createHash('sha256').update(group).digest()[0] as number) < ASKED_GROUPS;
}

function isOver(share: number): boolean {
  return performance.now() - begun > Number(seconds) * 1000 * share;
}

async function keep(entry: Entry): Promise<void> {
  for (const packed of await cached(`${entry.sha256}-kept`, entry, describeKept)) {
    const keypoints = unpack(packed);
    owners.add(entry.owner);
    rows.push({ ...entry, keypoints });
    index.add({ sequence: rows.length, accountId: 1, keypoints });
    if (rows.length % SETTLE_ROWS === 0) await index.settle();
  }
}

/** Without those that are too plain to be kept. */
async function describeKept(picture: Picture, { sha256 }: Entry): Promise<string[]> {
  const isLarge = Math.max(picture.width, picture.height) >= TILES * STORED_SIDE;
  // Half of the large ones stay whole, as most pictures of an archive are.
  const tiles =
    isLarge && Number.parseInt(sha256.slice(-1), 16) % 2 === 1 ? await tilesOf(picture) : [picture];
  const likenesses = await Promise.all(tiles.map((tile) => describeLikeness(tile, STORED_KEYPOINTS_MAX)));
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
  return asked.map((one) => Buffer.from(packKeypoints(one)).toString('base64'));
}

/** What was described is read again; a picture that cannot be decoded is none of either side. */
async function cached(
  name: string,
  entry: Entry,
  describe: (picture: Picture, entry: Entry) => Promise<string[]>,
): Promise<string[]> {
  const path = join(cache, `${name}.json`);
  const former = await readFile(path, 'utf8').catch(() => null);
  if (former !== null) return JSON.parse(former);
  try {
    const { picture } = await decodePixels(await readHeader(entry.path, DECODE_LIMITS));
    const packed = await describe(picture, entry);
    await writeFile(path, JSON.stringify(packed));
    return packed;
  } catch (error) {
    if (!(error instanceof MediaFaultFound)) throw error;
    undecodable += 1;
    return [];
  }
}

function unpack(packed: string): Keypoints {
  const keypoints = unpackKeypoints(Buffer.from(packed, 'base64'));
  if (keypoints === undefined) throw new Error('the cache holds no keypoints: empty it');
  return keypoints;
}

async function search(entry: Entry): Promise<void> {
  const asked = (await cached(`${entry.sha256}-asked`, entry, describeAsked)).map(unpack);
  if (asked.length === 0) return;
  searched.push(entry);
  const best = new Map<number, { places: number; asked: Part; kept: Part }>();
  for (const { sequence, query } of await index.search(asked, ALL_ACCOUNTS, CANDIDATES_MAX, VOTES_MIN)) {
    const part = findSharedPart(asked[query] as Keypoints, (rows[sequence - 1] as Kept).keypoints);
    if (part.places > (best.get(sequence)?.places ?? -1)) best.set(sequence, part);
  }
  for (const [sequence, part] of best) {
    chance.set(part.places, (chance.get(part.places) ?? 0) + 1);
    if (part.places < SHARED_PLACES_MIN) continue;
    named.add(entry.sha256);
    console.log(part.places, entry.path, showPart(part.asked), rows[sequence - 1]?.path, showPart(part.kept));
  }
}

function showPart({ left, top, right, bottom }: Part): string {
  return [left, top, right, bottom].map((share) => share.toFixed(2)).join(' ');
}

function report(): void {
  const pairs = searched.length * rows.length;
  const counts = [...chance].filter(([places]) => places >= SHOWN_PLACES_MIN).sort(([a], [b]) => a - b);
  console.log(`${searched.length} searches of ${countOf(searched, 'group')} groups, ${pairs} pairs`);
  console.log(`${undecodable} pictures could not be decoded; pairs by places that agree:`, counts);
  for (const count of new Set([0, named.size])) {
    const most = poissonMost(count);
    console.log(
      `if ${count} of ${named.size} searches that named something are false: ${count / searched.length} a search, ` +
        `at most ${most / searched.length}; ${count / pairs} a pair, at most ${most / pairs}`,
    );
  }
}

function countOf(some: readonly Entry[], name: 'sha256' | 'group'): number {
  return new Set(some.map((entry) => entry[name])).size;
}

/** The mean above which no more than `count` would be seen in less than 5 % of all runs: 3 where nothing was seen. */
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

/** Times a start and reads on a store of 100,000 records (`--records N`); exit code 1 on a miss. */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { quantile } from '../../evaluate/quantile.ts';
import type { Analysis, Classification } from '../../src/domain/records/classification.ts';
import { MICROSECONDS_PER_SECOND } from '../../src/domain/time.ts';
import { Store } from '../../src/store/store.ts';
import { TestDaemon } from '../daemon.ts';
import { awaitEnds, distinctPicture, KEY_HEADERS, submitPicture } from '../faults/rounds/submissions.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { megabytes, memoryOf, timeReads } from './measure.ts';
import { numberArgument, Random } from './random.ts';

const RECORDS_DEFAULT = 100_000;
const READY_MS_MAX = 3000;
/** Bound for a read or a page on a machine that has nothing else to do. */
const READ_MS_MAX = 20;
/** A transaction holds the event loop, and this program has nothing else to do. */
const BATCH = 1000;
/** Every so many analyses have a heatmap, hence a folder of their own. */
const HEATMAP_EVERY = 10;
const READS = 200;
const NEWEST = 20;
const PAGE = 100;
const SEED = 7;

const misses: string[] = [];

function atMost(value: number, maximum: number, what: string): string {
  if (value > maximum) misses.push(`${what}: ${value.toFixed(1)} ms, at most ${maximum} are meant`);
  return `${value.toFixed(1)} ms`;
}

interface Pattern {
  record: Classification;
  analysis: Analysis;
}

/** One picture that was really analysed: the pattern of all others. */
async function analyseOne(folder: string): Promise<Pattern> {
  let identifier: string;
  {
    await using daemon = await TestDaemon.start({ folder });
    identifier = await submitPicture(daemon, await distinctPicture(1));
    await awaitEnds(daemon, [identifier]);
  }
  await using store = await Store.open({ folder });
  const record = store.read.records.get(identifier);
  const analysis = store.read.analyses.get(record?.analysisId ?? '');
  if (record === undefined || analysis === undefined) throw new Error('the first record is gone');
  return { record, analysis };
}

function hex64(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Each a second older than the one before, as a quiet day brings them. */
function copyOf({ record, analysis }: Pattern, index: number): Pattern {
  const hash = hex64(`medium ${index}`);
  const id = hex64(`analysis ${index}`);
  const at = record.createdAt - index * MICROSECONDS_PER_SECOND;
  return {
    analysis: { ...analysis, id, hash, key: `${analysis.key}/${index}`, queuedAt: at, endedAt: at },
    record: { ...record, identifier: hex64(`record ${index}`), hash, analysisId: id, createdAt: at },
  };
}

/** The media are a byte each: a start looks at names, never into files. */
async function layFiles(store: Store, { record, analysis }: Pattern, index: number): Promise<void> {
  const blob = store.blobs.pathOf(record.hash);
  await mkdir(dirname(blob), { recursive: true });
  await writeFile(blob, 'x');
  if (index % HEATMAP_EVERY !== 0) return;
  const heatmap = store.artifacts.pathOf(analysis.id, 'heatmap.png');
  await mkdir(dirname(heatmap), { recursive: true });
  await writeFile(heatmap, 'x');
}

type Place = Pick<Classification, 'identifier' | 'createdAt'>;

async function fill(folder: string, pattern: Pattern, records: number): Promise<Place[]> {
  await using store = await Store.open({ folder });
  const places: Place[] = [];
  for (let from = 1; from < records; from += BATCH) {
    const length = Math.min(BATCH, records - from);
    const copies = Array.from({ length }, (_, index) => copyOf(pattern, from + index));
    await Promise.all(copies.map((copy, index) => layFiles(store, copy, from + index)));
    await store.transact((tx) => {
      for (const { record, analysis } of copies) {
        tx.putAnalysis(analysis);
        tx.putClassification(record);
        places.push(record);
      }
    });
  }
  process.stdout.write(`filled: ${records} records, ${megabytes((await store.space()).bytes)}\n`);
  return places;
}

async function timeGet({ http }: TestDaemon, path: string): Promise<{ ms: number; text: string }> {
  const startedAt = performance.now();
  const response = await fetch(http + path, { headers: KEY_HEADERS });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path} was answered with ${response.status}`);
  return { ms: performance.now() - startedAt, text };
}

/** Median of a page asked for again and again. */
async function timePage(daemon: TestDaemon, path: string): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < READS; index++) times.push((await timeGet(daemon, path)).ms);
  return quantile(times, 0.5);
}

/** The page behind a record, as the link to it says. */
function pathBehind({ identifier, createdAt }: Place): string {
  return `/api/classifications?limit=${PAGE}&cursor=${createdAt.toString(36)}-${identifier}`;
}

/** Reads while somebody else is sent the whole history. */
async function readsBeside(daemon: TestDaemon, identifier: string, records: number) {
  const whole = timeGet(daemon, '/api/classifications');
  const times = await timeReads(daemon, identifier, READS);
  const { ms, text } = await whole;
  const found = (JSON.parse(text) as unknown[]).length;
  if (found !== records) misses.push(`the whole list has ${found} records, ${records} are meant`);
  return { times, ms };
}

async function start(folder: string): Promise<{ daemon: TestDaemon; readyMs: number }> {
  const startedAt = performance.now();
  const daemon = await TestDaemon.start({ folder });
  return { daemon, readyMs: performance.now() - startedAt };
}

async function measure(folder: string, places: readonly Place[], records: number) {
  const { daemon, readyMs } = await start(folder);
  await using _held = daemon;
  const random = new Random(SEED);
  const memoryAtStart = memoryOf(daemon);
  const reads: number[] = [];
  for (let index = 0; index < READS; index++) {
    reads.push(...(await timeReads(daemon, random.pick(places).identifier, 1)));
  }
  const newest = await timePage(daemon, `/api/classifications?limit=${NEWEST}`);
  const middle = random.pick(places.slice(places.length >> 1));
  const deep = await timePage(daemon, pathBehind(middle));
  const beside = await readsBeside(daemon, middle.identifier, records);
  return {
    ready: atMost(readyMs, READY_MS_MAX, 'from start to ready'),
    'memory at the start': megabytes(memoryAtStart),
    'read median': atMost(quantile(reads, 0.5), READ_MS_MAX, 'a read'),
    'read p99': `${quantile(reads, 0.99).toFixed(1)} ms`,
    [`newest ${NEWEST}`]: atMost(newest, READ_MS_MAX, `the newest ${NEWEST}`),
    [`${PAGE} deep in`]: `${deep.toFixed(1)} ms`,
    'whole list': `${(beside.ms / 1000).toFixed(1)} s`,
    'read beside it, median': `${quantile(beside.times, 0.5).toFixed(1)} ms`,
    'read beside it, p99': `${quantile(beside.times, 0.99).toFixed(1)} ms`,
    'memory after': megabytes(memoryOf(daemon)),
  };
}

async function run(): Promise<void> {
  const records = numberArgument('records', RECORDS_DEFAULT);
  await using folder = await makeTemporaryFolder();
  const pattern = await analyseOne(folder.path);
  const empty = await start(folder.path);
  await empty.daemon[Symbol.asyncDispose]();
  const places = await fill(folder.path, pattern, records);
  const figures = await measure(folder.path, places, records);
  console.table({ 'ready with one record': `${empty.readyMs.toFixed(1)} ms`, ...figures });
}

await run();
for (const miss of misses) process.stderr.write(`missed: ${miss}\n`);
if (misses.length > 0) process.exitCode = 1;

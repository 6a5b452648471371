/**
 * How cost grows: what readers and operators ask of a thousand, a hundred thousand and a million records (ASSAY_BENCH_RECORDS
 * names other numbers), and pictures of 1 to 256 submitters at once. The figures are to be compared with one another.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type CommandOutcome, reach, runCommand } from '../../test/command-line.ts';
import { TEST_KEY, TestDaemon } from '../../test/daemon.ts';
import { identifierOf } from '../../test/seeded-records.ts';
import { makeTemporaryFolder } from '../../test/temporary-folder.ts';
import { countsOf } from '../counts.ts';
import { measureGets } from '../get-load.ts';
import { classifyMedia } from '../grpc-media.ts';
import { MemoryPeak } from '../memory.ts';
import { makePhotos, stampJpeg } from '../photos.ts';
import { rssAnonOf } from '../process-tree.ts';
import { type Row, RUNS } from '../row.ts';
import { OLDEST, seededStore } from '../seeded-stores.ts';

const SUBMITTERS = [1, 4, 16, 64, 256];
/** The last submitters have one each. */
const PICTURES_MIN = 64;
const PAGE = 100;
const PAGES_MAX = 10_000;
const STARTS = 3;

export async function measureSubmitters(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const hands of SUBMITTERS) rows.push(...(await measureSubmittersOf(hands)));
  return rows;
}

async function measureSubmittersOf(hands: number): Promise<Row[]> {
  await using daemon = await TestDaemon.start();
  const photos = await makePhotos();
  const many = Array.from({ length: Math.max(PICTURES_MIN, hands) }, (_, index) => {
    const photo = photos[index % photos.length] ?? Buffer.alloc(0);
    return stampJpeg(photo, `${hands} submitters, picture ${index}`);
  });
  using memory = new MemoryPeak(daemon.process.pid ?? 0);
  const { filesPerSecond, processorSeconds } = await classifyMedia(daemon, many, { hands, header: {} });
  const of = (name: string) => `${name} of ${hands} submitters`;
  return [
    { name: of('pictures'), unit: '1/s', better: 'higher', runs: [filesPerSecond] },
    {
      name: of('a picture, processor time'),
      unit: 's',
      better: 'lower',
      runs: [processorSeconds / many.length],
    },
    {
      name: of('memory of the daemon at the peak'),
      unit: 'MiB',
      better: 'lower',
      runs: [memory.peak.daemon],
    },
  ];
}

export async function measureScaling(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const count of countsOf('ASSAY_BENCH_RECORDS', [1_000, 100_000, 1_000_000])) {
    const of = ({ name, ...row }: Row): Row => ({ ...row, name: `${name}, ${count} records` });
    rows.push(...(await measureRecordsOf(count)).map(of));
  }
  return rows;
}

async function measureRecordsOf(count: number): Promise<Row[]> {
  await using store = await seededStore(count);
  await using backups = await makeTemporaryFolder();
  return [
    ...(await measureStarts(store.path)),
    ...(await measureServed(store.path, count, backups.path)),
    ...(await measureStopped(store.path)),
  ];
}

async function measureStarts(folder: string): Promise<Row[]> {
  const readyMs: number[] = [];
  const memoryMib: number[] = [];
  for (let run = 0; run < STARTS; run++) {
    const startedAt = performance.now();
    await using daemon = await TestDaemon.start({ folder });
    readyMs.push(performance.now() - startedAt);
    memoryMib.push(rssAnonOf(daemon.process.pid ?? 0));
  }
  return [
    { ...MILLISECONDS, name: 'start to /readyz 200', runs: readyMs },
    { name: 'memory of the daemon after it', unit: 'MiB', better: 'lower', runs: memoryMib },
  ];
}

const MILLISECONDS = { unit: 'ms', better: 'lower' } as const;
const SECONDS = { unit: 's', better: 'lower' } as const;

async function measureServed(folder: string, count: number, backups: string): Promise<Row[]> {
  await using daemon = await TestDaemon.start({ folder, env: { ASSAY_BACKUP_DIR: backups } });
  const lists = await measureLists(daemon, count);
  using memory = new MemoryPeak(daemon.process.pid ?? 0);
  const commands = [
    { ...SECONDS, name: 'assay doctor', runs: await timeRuns(() => command(daemon, 'doctor')) },
    {
      ...SECONDS,
      name: 'assay custody verify',
      runs: [await time(() => command(daemon, 'custody', 'verify'))],
    },
    { ...SECONDS, name: 'assay backup', runs: [await time(() => command(daemon, 'backup'))] },
  ];
  const peak = { name: 'memory of the daemon at the peak of these', unit: 'MiB', better: 'lower' } as const;
  return [...lists, ...commands, { ...peak, runs: [memory.peak.daemon] }];
}

async function measureLists(daemon: TestDaemon, count: number): Promise<Row[]> {
  const gets = await measureGets(`${daemon.http}/api/classification/${identifierOf(count - 1)}`);
  const judged = () => ask(daemon, { verdict: 'ARTIFICIAL' });
  const named = await ask(daemon, { search: OLDEST });
  const pages = { unit: 'pages', better: 'lower' } as const;
  return [
    { name: 'GET record', unit: '1/s', better: 'higher', runs: [gets.perSecond] },
    { ...MILLISECONDS, name: 'the newest hundred', runs: await timeRuns(() => ask(daemon, {}), 1) },
    { ...MILLISECONDS, name: 'the one with a verdict', runs: await timeRuns(judged, 1) },
    { ...MILLISECONDS, name: 'the oldest by its name', runs: [named.milliseconds] },
    { ...pages, name: 'the oldest by its name', runs: [named.pages] },
  ];
}

async function measureStopped(folder: string): Promise<Row[]> {
  const compacting = ['store', 'compact', '--data-dir', folder];
  const seconds = await time(() => runCommand(compacting).then(assertGood));
  const { size } = await stat(join(folder, 'records', 'data.mdb'));
  return [
    { ...SECONDS, name: 'assay store compact', runs: [seconds] },
    { name: 'the records', unit: 'MB', better: 'lower', runs: [size / 1e6] },
  ];
}

/** Doctor ends with 1 where a box like this one has something bad; what it says then is not measured. */
async function command(daemon: TestDaemon, ...args: string[]): Promise<void> {
  const outcome = await runCommand(args, reach(daemon));
  if (args[0] !== 'doctor') assertGood(outcome);
}

function assertGood({ code, stderr }: CommandOutcome): void {
  if (code !== 0) throw new Error(stderr);
}

async function time(work: () => Promise<unknown>, perSecond = 1000): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / perSecond;
}

async function timeRuns(work: () => Promise<unknown>, perSecond = 1000): Promise<number[]> {
  const runs: number[] = [];
  for (let run = 0; run < RUNS; run++) runs.push(await time(work, perSecond));
  return runs;
}

interface Answered {
  milliseconds: number;
  pages: number;
}

/** Pages until one holds something. */
async function ask({ http }: TestDaemon, filter: Record<string, string>): Promise<Answered> {
  const startedAt = performance.now();
  let after: string | null = null;
  for (let pages = 1; pages <= PAGES_MAX; pages++) {
    const { nodes, pageInfo } = await askPage(http, filter, after);
    if (nodes.length > 0) return { milliseconds: performance.now() - startedAt, pages };
    if (!pageInfo.hasNextPage) break;
    after = pageInfo.endCursor;
  }
  throw new Error(`nothing was found by ${JSON.stringify(filter)}`);
}

interface Page {
  nodes: { identifier: string }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

async function askPage(http: string, filter: Record<string, string>, after: string | null): Promise<Page> {
  const query = `query ($filter: ClassificationFilter, $after: String) {
    classifications(first: ${PAGE}, after: $after, filter: $filter) {
      nodes { identifier } pageInfo { hasNextPage endCursor } } }`;
  const response = await fetch(`${http}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': TEST_KEY },
    body: JSON.stringify({ query, variables: { filter, after } }),
  });
  const { data, errors } = (await response.json()) as {
    data?: { classifications: Page };
    errors?: { message: string }[];
  };
  if (data === undefined) throw new Error(errors?.[0]?.message ?? `answered ${response.status}`);
  return data.classifications;
}

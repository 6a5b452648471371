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
import { type GetFigures, measureGets } from '../get-load.ts';
import { classifyMedia } from '../grpc-media.ts';
import { MemoryPeak } from '../memory.ts';
import { makePhotos, stampJpeg } from '../photos.ts';
import { processorSecondsOf, rssAnonOf } from '../process-tree.ts';
import type { Row } from '../row.ts';
import { OLDEST, seededStore } from '../seeded-stores.ts';
import { timeWork } from '../timed-work.ts';

const SUBMITTERS = [1, 4, 16, 64, 256];
/** Each of the last submitters has one picture. */
const PICTURES_MIN = 64;
const PAGE = 100;
const PAGES_MAX = 10_000;
const STARTS = 3;
const DOCTORS = 5;
/** So many calls take long enough for the kernel's clock. */
const LISTS = 40;
const MICROSECONDS = 1_000_000;

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
  return [
    ...(await measureStarts(store.path)),
    ...(await measureServed(store.path, count)),
    ...(await measureStopped(store.path)),
  ];
}

async function measureStarts(folder: string): Promise<Row[]> {
  const readyMs: number[] = [];
  const processorMs: number[] = [];
  const memoryMib: number[] = [];
  for (let run = 0; run < STARTS; run++) {
    const startedAt = performance.now();
    await using daemon = await TestDaemon.start({ folder });
    readyMs.push(performance.now() - startedAt);
    const pid = daemon.process.pid ?? 0;
    processorMs.push(1000 * processorSecondsOf(pid));
    memoryMib.push(rssAnonOf(pid));
  }
  return [
    { ...MILLISECONDS, name: 'start to /readyz 200', runs: readyMs },
    { ...MILLISECONDS, name: 'processor time of it, with the children', runs: processorMs },
    { ...MEMORY, name: 'memory of the daemon after it', runs: memoryMib },
  ];
}

const MILLISECONDS = { unit: 'ms', better: 'lower' } as const;
const MEMORY = { unit: 'MiB', better: 'lower' } as const;

async function measureServed(folder: string, count: number): Promise<Row[]> {
  await using backups = await makeTemporaryFolder();
  // Without a backup the daemon would make one by itself.
  const env = { ASSAY_BACKUP_DIR: backups.path, ASSAY_BACKUP_INTERVAL_HOURS: '0' };
  await using daemon = await TestDaemon.start({ folder, env });
  const pid = daemon.process.pid ?? 0;
  const lists = await measureLists(daemon, count);
  using memory = new MemoryPeak(pid, { hasPss: false });
  const commands = [
    ...(await timeRuns(pid, 'assay doctor', DOCTORS, () => command(daemon, 'doctor'))),
    ...(await timeRuns(pid, 'assay custody verify', 1, () => command(daemon, 'custody', 'verify'))),
    ...(await timeRuns(pid, 'assay backup', 1, () => command(daemon, 'backup'))),
  ];
  const peak = { ...MEMORY, name: 'memory of the daemon at the peak of these', runs: [memory.peak.daemon] };
  return [...lists, ...commands, peak];
}

async function measureLists(daemon: TestDaemon, count: number): Promise<Row[]> {
  const pid = daemon.process.pid ?? 0;
  const address = `${daemon.http}/api/classification/${identifierOf(count - 1)}`;
  const asks: [name: string, filter: Record<string, string>, pages: number][] = [
    ['the newest hundred', {}, LISTS],
    ['the one with a verdict', { verdict: 'ARTIFICIAL' }, LISTS],
    ['the oldest by its name', { search: OLDEST }, 1],
  ];
  const rows = await measureGetsOf(pid, address);
  for (const [name, filter, runs] of asks) {
    rows.push(...(await timeRuns(pid, name, runs, () => ask(daemon, filter))));
  }
  return rows;
}

async function measureGetsOf(pid: number, address: string): Promise<Row[]> {
  let gets: GetFigures | undefined;
  const { processorSeconds } = await timeWork(pid, async () => {
    gets = await measureGets(address);
  });
  const { perSecond = 0, answers = 0 } = gets ?? {};
  const microseconds = (processorSeconds * MICROSECONDS) / answers;
  return [
    { name: 'GET record', unit: '1/s', better: 'higher', runs: [perSecond] },
    { name: 'GET record, processor time of the daemon', unit: 'µs', better: 'lower', runs: [microseconds] },
  ];
}

async function measureStopped(folder: string): Promise<Row[]> {
  const compacting = ['store', 'compact', '--data-dir', folder];
  const compact = () => runCommand(compacting).then(assertGood);
  const rows = await timeRuns(process.pid, 'assay store compact', 1, compact);
  const { size } = await stat(join(folder, 'records', 'data.mdb'));
  return [...rows, { name: 'the records', unit: 'MB', better: 'lower', runs: [size / 1e6] }];
}

/** Doctor ends with 1 where a box like this one has something bad; what it says then is not measured. */
async function command(daemon: TestDaemon, ...args: string[]): Promise<void> {
  const outcome = await runCommand(args, reach(daemon));
  if (args[0] !== 'doctor') assertGood(outcome);
}

function assertGood({ code, stderr }: CommandOutcome): void {
  if (code !== 0) throw new Error(stderr);
}

/** Each run's time, and the mean of processor time: the kernel counts it in steps of 10 ms. */
async function timeRuns(
  pid: number,
  name: string,
  count: number,
  work: () => Promise<unknown>,
): Promise<Row[]> {
  const runs: number[] = [];
  const { processorSeconds } = await timeWork(pid, async () => {
    for (let run = 0; run < count; run++) {
      const startedAt = performance.now();
      await work();
      runs.push(performance.now() - startedAt);
    }
  });
  const ofProcessor = [(1000 * processorSeconds) / count];
  return [
    { ...MILLISECONDS, name, runs },
    { ...MILLISECONDS, name: `${name}, processor time`, runs: ofProcessor },
  ];
}

/** Pages until one holds something. */
async function ask({ http }: TestDaemon, filter: Record<string, string>): Promise<void> {
  let after: string | null = null;
  for (let pages = 1; pages <= PAGES_MAX; pages++) {
    const { nodes, pageInfo } = await askPage(http, filter, after);
    if (nodes.length > 0) return;
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

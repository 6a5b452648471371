/**
 * Workers on other boxes, here each pinned to one core: how much more 2 and 3 carry than one, with the models that come with
 * Assay and with models whose time is waited for, and what a worker adds to one picture on an idle box.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { quantile } from '../../evaluate/quantile.ts';
import { TestDaemon } from '../../test/daemon.ts';
import { skipWithoutBroker, type TestWorker, type WorkerStart } from '../../test/engine/remote/broker.ts';
import { until } from '../../test/faults/rounds/submissions.ts';
import { Fleet, type FleetOptions } from '../../test/heavy/workers/fleet.ts';
import { classifyMedia } from '../grpc-media.ts';
import { makePhoto, makePhotos, stampJpeg } from '../photos.ts';
import type { Row } from '../row.ts';

const NAMES = ['one', 'two', 'three'];
const PLACES = 2;
/** Pictures of each run, which takes as long as its workers need. */
const PICTURES_PER_WORKER = 10;
/** The wait is that of a large model on a GPU, and long beside what a small picture costs two cores. */
const WAIT_MS = 1000;
const SIDE = 480;
const SINGLE_PICTURES = 100;
const BUILT_IN = join(import.meta.dirname, '..', '..', 'models');
const WAITING: WorkerStart = { entry: [join(import.meta.dirname, '..', 'waiting-worker.ts')] };

export async function measureWorkers(): Promise<Row[]> {
  if (skipWithoutBroker) throw new Error(skipWithoutBroker);
  return [...(await measureWaiting()), ...(await measureComputing()), ...(await measureOne())];
}

async function measureWaiting(): Promise<Row[]> {
  const photo = await makePhoto(1, SIDE, SIDE);
  const env = { BENCH_WAIT_MS: String(WAIT_MS) };
  const pictures = (run: string, count: number) =>
    Array.from({ length: count }, (_, index) => stampJpeg(photo, `${run} ${index}`));
  await using fleet = await openFleet({ env: { ASSAY_ANALYSIS_STABILITY: 'false' } });
  const measured = await measureCounts(fleet, { counts: [1, 2, 3], env, how: WAITING, pictures });
  return toRows(measured, `models waited for (${WAIT_MS} ms a picture)`);
}

async function measureComputing(): Promise<Row[]> {
  const photos = await makePhotos();
  const pictures = (run: string, count: number) =>
    photos.slice(0, count).map((photo) => stampJpeg(photo, run));
  await using fleet = await openFleet({ env: { ASSAY_MODELS_FOLDERS: BUILT_IN } });
  const counts = NAMES.map((_, index) => index + 1).filter((count) => count <= availableParallelism());
  const measured = await measureCounts(fleet, { counts, env: {}, how: {}, pictures });
  return toRows(measured, "Assay's models, front and client on the same cores");
}

function openFleet(options: Partial<FleetOptions>): Promise<Fleet> {
  return Fleet.open({ names: NAMES, leaseSeconds: 30, ...options });
}

interface Work {
  counts: readonly number[];
  /** The port that workers reach. */
  env: Record<string, string>;
  how: WorkerStart;
  pictures: (run: string, count: number) => Buffer[];
}

interface Figures {
  perSecond: number;
  /** Processor time of the front and its children for a picture, seconds. */
  frontSeconds: number;
}

/** Runs so many workers, each on a core of its own as long as there are some. */
async function measureCounts(
  fleet: Fleet,
  { counts, env, how, pictures }: Work,
): Promise<Map<number, Figures>> {
  await using front = await fleet.startFront();
  const figures = new Map<number, Figures>();
  const workers: TestWorker[] = [];
  try {
    for (const count of counts) {
      const [name = ''] = NAMES.slice(workers.length);
      const core = workers.length % availableParallelism();
      workers.push(await fleet.startWorker(name, env, { ...how, core }));
      await awaitWorkers(front, count);
      const hands = 2 * PLACES * count;
      // The first ones only warm up.
      await classifyMedia(front, pictures(`warm ${count}`, hands), { hands, header: {} });
      const measured = pictures(`measured ${count}`, PICTURES_PER_WORKER * count);
      const { filesPerSecond, processorSeconds } = await classifyMedia(front, measured, {
        hands,
        header: {},
      });
      figures.set(count, { perSecond: filesPerSecond, frontSeconds: processorSeconds / measured.length });
    }
  } finally {
    for (const worker of workers) await worker.end('SIGKILL');
  }
  return figures;
}

async function awaitWorkers({ http }: TestDaemon, count: number): Promise<void> {
  const here = async () =>
    /^assay_workers\{state="here"\} (\d+)$/m.exec(await (await fetch(`${http}/metrics`)).text());
  await until(async () => Number((await here())?.[1]) === count, `${count} workers`);
}

function toRows(figures: ReadonlyMap<number, Figures>, what: string): Row[] {
  const one = figures.get(1)?.perSecond ?? Number.NaN;
  return [...figures].flatMap(([count, { perSecond, frontSeconds }]): Row[] => {
    const name = `${count} ${count === 1 ? 'worker' : 'workers'}, ${what}`;
    return [
      { name, unit: '1/s', better: 'higher', runs: [perSecond] },
      { name: `${name}: against one`, unit: '×', better: 'higher', runs: [perSecond / one] },
      { name: `${name}: processor time of the front`, unit: 's', better: 'lower', runs: [frontSeconds] },
    ];
  });
}

/** The same small pictures one after the other, by a daemon itself and through one worker, in turns. */
async function measureOne(): Promise<Row[]> {
  const photo = await makePhoto(2, SIDE, SIDE);
  await using fleet = await openFleet({});
  await using home = await TestDaemon.start({
    folder: join(fleet.folder, 'home'),
    env: { ...fleet.homeEnv },
  });
  await using front = await fleet.startFront();
  await using _worker = await fleet.startWorker('one');
  await awaitWorkers(front, 1);
  const seconds = { here: [] as number[], there: [] as number[] };
  const one = { hands: 1, header: {} };
  // The first one only warms up.
  for (let index = 0; index <= SINGLE_PICTURES; index++) {
    const picture = stampJpeg(photo, `single ${index}`);
    const here = await classifyMedia(home, [picture], one);
    const there = await classifyMedia(front, [picture], one);
    if (index === 0) continue;
    seconds.here.push(...here.fileSeconds);
    seconds.there.push(...there.fileSeconds);
  }
  return [0.5, 0.99].map((share) => ({
    ...{
      name: `one picture through a worker, ${100 * share} of 100 within`,
      unit: 'ms',
      better: 'lower' as const,
    },
    runs: [1000 * quantile(seconds.there, share)],
    bareRuns: [1000 * quantile(seconds.here, share)],
  }));
}

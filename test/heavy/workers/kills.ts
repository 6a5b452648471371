/**
 * `node test/heavy/workers/kills.ts --minutes N --seed S`: pictures, recordings and films for two workers while workers,
 * broker and daemon are killed at random instants, and the broker sometimes loses its data. Once the killing has stopped:
 * nothing is lost, nothing is charged twice, and every figure is to the bit what a daemon without workers says.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { TestDaemon } from '../../daemon.ts';
import { SERVER, skipWithoutBroker, type TestWorker } from '../../engine/remote/broker.ts';
import { metricOf, setPicturePrice } from '../../faults/rounds/submissions.ts';
import { readBooks } from '../books.ts';
import { numberArgument, Random } from '../random.ts';
import { Fleet } from './fleet.ts';
import { awaitIdle, compareWithHome, makeSample, type Sample, submit } from './submissions.ts';

const MINUTES_DEFAULT = 10;
const PRICE = 3;
const NAMES = ['one', 'two'];
const VICTIMS = ['one', 'two', 'one', 'two', 'broker', 'daemon'] as const;
const PAUSE_MS = { between: [500, 7000], away: [0, 4000], submissions: [50, 600] } as const;
/** Accepted work that waits: enough that workers never run dry, and little enough to end soon afterwards. */
const OPEN_MAX = 20;
const FORGET_SHARE = 0.3;

class Run {
  readonly random: Random;
  readonly fleet: Fleet;
  readonly accepted = new Set<string>();
  readonly sent: Sample[] = [];
  readonly counts: Record<string, number> = { accepted: 0, refused: 0 };
  readonly workers = new Map<string, Promise<TestWorker>>();
  readonly stopped = new AbortController();
  daemon: TestDaemon | null = null;

  constructor(fleet: Fleet, random: Random) {
    this.fleet = fleet;
    this.random = random;
  }

  count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  /** A worker comes up once daemon and broker are there, which no one waits for. */
  startWorker(name: string): void {
    this.workers.set(name, this.fleet.startWorker(name));
  }

  async pause([least, most]: readonly [number, number]): Promise<void> {
    await delay(this.random.whole(least, most));
  }
}

async function submitAll(run: Run): Promise<void> {
  while (!run.stopped.signal.aborted) {
    await run.pause(PAUSE_MS.submissions);
    const { daemon } = run;
    if (daemon === null) continue;
    const sample = await makeSample(run.random);
    try {
      if ((await metricOf(daemon, 'assay_queue_depth')) > OPEN_MAX) continue;
      run.sent.push(sample);
      run.accepted.add(await submit(daemon, sample));
      run.count('accepted');
    } catch {
      // Cut off by a kill: nothing was promised.
      run.count('refused');
    }
  }
}

async function killAll(run: Run, deadline: number): Promise<void> {
  while (performance.now() < deadline) {
    await run.pause(PAUSE_MS.between);
    const victim = run.random.pick(VICTIMS);
    if (victim === 'daemon') await killDaemon(run);
    else if (victim === 'broker') await killBroker(run);
    else await killWorker(run, victim);
  }
}

async function killDaemon(run: Run): Promise<void> {
  const { daemon } = run;
  run.daemon = null;
  await daemon?.kill('SIGKILL');
  run.count('daemon killed');
  await run.pause(PAUSE_MS.away);
  run.daemon = await run.fleet.startFront();
}

async function killBroker(run: Run): Promise<void> {
  const { broker } = run.fleet;
  const isForgetful = run.random.chance(FORGET_SHARE);
  run.count(isForgetful ? 'broker killed, its data lost' : 'broker killed');
  await broker.kill();
  await run.pause(PAUSE_MS.away);
  if (isForgetful) await broker.forgetAll();
  else await broker.restart();
}

async function killWorker(run: Run, name: string): Promise<void> {
  const worker = await run.workers.get(name);
  await worker?.end('SIGKILL');
  run.count('worker killed');
  await run.pause(PAUSE_MS.away);
  run.startWorker(name);
}

/** Until all that was accepted has ended, without any more kills. */
async function settle(run: Run): Promise<void> {
  const { daemon } = run;
  if (daemon === null) throw new Error('the daemon is started anew after each kill');
  await awaitIdle(daemon);
  for (const worker of run.workers.values()) await (await worker).end('SIGTERM');
  await daemon.kill('SIGTERM');
}

async function judge({ fleet, accepted, sent, counts }: Run): Promise<string[]> {
  const { problems, open, errored, records } = await readBooks(fleet.frontFolder, accepted, PRICE);
  if (open > 0) problems.push(`${open} records did not end`);
  const { compared, retried, problems: differences } = await compareWithHome(fleet, sent);
  Object.assign(counts, { records, errored, compared, 'cost an attempt': retried });
  return [...problems, ...differences];
}

async function main(minutes: number, seed: number): Promise<boolean> {
  if (skipWithoutBroker) {
    process.stdout.write(`skipped: ${skipWithoutBroker}\n`);
    return true;
  }
  process.stdout.write(`kills: ${minutes} minutes, --seed ${seed}, ${SERVER}\n`);
  await using fleet = await Fleet.open({ names: NAMES });
  const run = new Run(fleet, new Random(seed));
  run.daemon = await fleet.startFront();
  await setPicturePrice(run.daemon, PRICE);
  for (const name of NAMES) run.startWorker(name);
  await Promise.all(run.workers.values());
  const submitting = submitAll(run);
  await killAll(run, performance.now() + minutes * 60_000);
  run.stopped.abort();
  await submitting;
  const endedAt = performance.now();
  await settle(run);
  const settleSeconds = Math.round((performance.now() - endedAt) / 1000);
  const problems = await judge(run);
  console.table([run.counts]);
  process.stdout.write(`all ended ${settleSeconds} s after the last kill; ${problems.length} problems\n`);
  process.stdout.write(problems.map((problem) => `  ${problem}\n`).join(''));
  return problems.length === 0;
}

if (
  !(await main(numberArgument('minutes', MINUTES_DEFAULT), numberArgument('seed', Date.now() % 1_000_000)))
) {
  process.exitCode = 1;
}

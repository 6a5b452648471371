/** One life of a daemon under a clock that a test moves: what takes minutes for people takes milliseconds here. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Random } from '../heavy/random.ts';
import { FaultyDisk } from './faulty-disk.ts';
import { dataFolderOf, Life, watchedFolderOf } from './life.ts';
import { Receivers } from './receivers.ts';
import { seedPlatform } from './seeded-platform.ts';
import { SimulatedExecutor } from './simulated-executor.ts';
import { Turns } from './turns.ts';
import { VirtualClock } from './virtual-clock.ts';

/** 2026-01-01, milliseconds since 1970. */
const START_MS = 1_767_225_600_000;
const SEED = 1;
const NO_FAULTS = { full: 0, flush: 0, isPowerLost: false };
/** Steps of the clock in which anything that is waited for must come. */
const STEPS_MAX = 50_000;

export interface StageOptions {
  /** Given the machine's folder; the watched folder of histories where absent. */
  watchRoots?: (folder: string) => string[];
}

export class Stage implements AsyncDisposable {
  readonly folder: string;
  readonly clock: VirtualClock;
  readonly executor: SimulatedExecutor;
  readonly life: Life;
  readonly #turns: Turns;

  private constructor(parts: Pick<Stage, 'folder' | 'clock' | 'executor' | 'life'>, turns: Turns) {
    this.folder = parts.folder;
    this.clock = parts.clock;
    this.executor = parts.executor;
    this.life = parts.life;
    this.#turns = turns;
  }

  static async open({ watchRoots }: StageOptions = {}): Promise<Stage> {
    seedPlatform(SEED);
    const base = mkdtempSync('/dev/shm/assay-stage-');
    const [folder, marks] = [join(base, 'machine'), join(base, 'turns')];
    mkdirSync(marks);
    mkdirSync(watchedFolderOf(folder), { recursive: true });
    const [turns, clock, random] = [new Turns(marks), new VirtualClock(START_MS), new Random(SEED)];
    const executor = new SimulatedExecutor(clock, random, { dies: 0, hangs: 0, refuses: 0 });
    const disk = new FaultyDisk(dataFolderOf(folder), random, NO_FAULTS, () => undefined);
    const post = new Receivers().post(clock, random, () => true);
    const roots = watchRoots?.(folder);
    const opened = Life.open({
      ...{ folder, clock, random, disk, executor, post, broker: null, bootId: 'boot' },
      ...(roots === undefined ? {} : { watchRoots: roots }),
    });
    const life = await drive(clock, turns, opened, 'the start');
    return new Stage({ folder, clock, executor, life }, turns);
  }

  /** Lets time pass until the work ends. */
  async drive<T>(work: Promise<T>, what: string): Promise<T> {
    return await drive(this.clock, this.#turns, work, what);
  }

  /** Lets time pass until it is so. Throws where it is not within so many milliseconds. */
  async until(isSo: () => boolean, what: string, withinMs = 600_000): Promise<void> {
    const endMs = this.clock.nowMs + withinMs;
    await quiet(this.clock, this.#turns);
    while (!isSo()) {
      if (!this.clock.step(endMs)) throw new Error(`${what}: not within ${withinMs / 1000} s`);
      await quiet(this.clock, this.#turns);
    }
  }

  async pass(milliseconds: number): Promise<void> {
    const endMs = this.clock.nowMs + milliseconds;
    await quiet(this.clock, this.#turns);
    while (this.clock.step(endMs)) await quiet(this.clock, this.#turns);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.drive(this.life[Symbol.asyncDispose](), 'the end');
    this.#turns[Symbol.dispose]();
    rmSync(join(this.folder, '..'), { recursive: true, force: true });
  }
}

async function drive<T>(clock: VirtualClock, turns: Turns, work: Promise<T>, what: string): Promise<T> {
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
  };
  work.then(end, end);
  for (let steps = 0; steps < STEPS_MAX; steps += 1) {
    await turns.quiet();
    if (hasEnded) return await work;
    // LMDB closes on a thread of its own.
    if (!clock.step()) return await work;
  }
  throw new Error(`${what} does not end`);
}

/** Real time that what no clock moves may take. */
const REAL_MS_MAX = 5000;

/** A daemon always waits for some time to pass, unless it waits for a thread that is not one of files: LMDB has some. */
async function quiet(clock: VirtualClock, turns: Turns): Promise<void> {
  for (let waits = 0; waits < REAL_MS_MAX; waits += 1) {
    await turns.quiet();
    if (clock.nextMs !== undefined) return;
    await delay(1);
  }
  throw new Error('the daemon waits for nothing that will come');
}

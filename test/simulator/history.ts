/** Some lives of a process, drawn from one seed; the last has no faults, so that everything owed can be called in. */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createPlan } from '../../src/app/accounts/plans.ts';
import { createUser, grantCredits } from '../../src/app/accounts/users.ts';
import { Random } from '../heavy/random.ts';
import { SimulatedBroker } from './broker.ts';
import type { Action, ActionParts } from './clients/action.ts';
import { ACTIONS } from './clients/actions.ts';
import { Book } from './clients/book.ts';
import { makeKey, openStream, revokeSomeKey } from './clients/key-actions.ts';
import { refusalOf } from './clients/refusal.ts';
import { Streams } from './clients/streams.ts';
import { uploadByPieces } from './clients/upload-actions.ts';
import { dropFiles, watchDrops } from './drops.ts';
import { checkEnd } from './end.ts';
import { FaultyDisk } from './faulty-disk.ts';
import { checkInvariants } from './invariants.ts';
import { ADMIN_ID, dataFolderOf, Life, watchedFolderOf } from './life.ts';
import { drawLives, type LifePlan } from './plans.ts';
import { Receivers } from './receivers.ts';
import { seedPlatform } from './seeded-platform.ts';
import { SimulatedExecutor } from './simulated-executor.ts';
import type { Turns } from './turns.ts';
import { VirtualClock } from './virtual-clock.ts';

export interface HistoryResult {
  lives: number;
  steps: number;
  accepted: number;
  /** Results that workers on other boxes brought and that were stored. */
  brought: number;
  /** Says whether two runs were the same. */
  traceHash: string;
  refusals: ReadonlyMap<string, number>;
}

/** An invariant that did not hold: run it again with `--seed`. */
export class HistoryFault extends Error {
  override readonly name = 'HistoryFault';
  readonly seed: number;
  readonly step: number;

  constructor(seed: number, step: number, trace: readonly string[], cause: unknown) {
    const what = cause instanceof Error ? cause.message : String(cause);
    super(`seed ${seed}, step ${step}: ${what}\n${trace.slice(-TRACE_MAX).join('\n')}`, { cause });
    this.seed = seed;
    this.step = step;
  }
}

/** Lines of the trace that a fault shows. */
const TRACE_MAX = 25;
/** 2026-01-01, milliseconds since 1970. */
const START_MS = 1_767_225_600_000;
/** A stop, or the end of all work, that takes more calls of the clock than this does not end. */
const CALLS_MAX = 20_000;
const CREDITS = 100;
/** The share of histories in which a folder is watched. */
const DROPS_SHARE = 0.3;
/** The share of histories in which workers on other boxes help. */
const WORKERS_SHARE = 0.3;
/** Real time that what no clock moves may take. */
const REAL_MS_MAX = 5000;

/** `folder`: an empty one of its own, in memory; removed afterwards. */
export async function runHistory(seed: number, folder: string, turns: Turns): Promise<HistoryResult> {
  const history = new History(seed, folder, turns);
  try {
    return await history.run();
  } catch (error) {
    throw new HistoryFault(seed, history.step, history.trace, error);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

class History {
  readonly #seed: number;
  readonly #folder: string;
  readonly #turns: Turns;
  readonly #book = new Book();
  readonly #receivers = new Receivers();
  readonly trace: string[] = [];
  step = 0;
  #nowMs = START_MS;
  #accountId = 0;
  #boot = 1;
  #hasWorkers = false;
  #brought = 0;

  constructor(seed: number, folder: string, turns: Turns) {
    this.#seed = seed;
    this.#folder = folder;
    this.#turns = turns;
  }

  async run(): Promise<HistoryResult> {
    mkdirSync(watchedFolderOf(this.#folder), { recursive: true });
    const random = new Random(this.#seed);
    const lives = drawLives(random);
    this.#hasWorkers = random.chance(WORKERS_SHARE);
    for (const [index, plan] of lives.entries()) await this.#live(index, plan);
    return {
      ...{
        lives: lives.length,
        steps: this.step,
        accepted: this.#book.accepted.size,
        brought: this.#brought,
      },
      traceHash: createHash('sha256').update(this.trace.join('\n')).digest('hex').slice(0, 12),
      refusals: this.#book.refusals,
    };
  }

  async #live(index: number, plan: LifePlan): Promise<void> {
    seedPlatform(this.#seed * 17 + index);
    // A generator of its own: what a dying process still draws changes nothing for the next one.
    const random = new Random(this.#seed * 31 + index + 1);
    const clock = new VirtualClock(this.#nowMs);
    const death = new Death(this.#folder, plan, this.#turns, () => {
      this.trace.push(`— the process dies (${plan.end}) at ${clock.now()}`);
      this.#nowMs = clock.nowMs;
    });
    const disk = new FaultyDisk(
      dataFolderOf(this.#folder),
      random,
      { ...NO_FAULTS, isPowerLost: plan.disk.isPowerLost },
      () => death.step(),
    );
    const executor = new SimulatedExecutor(clock, random, plan.children);
    this.#receivers.faults = plan.receivers;
    this.trace.push(`— life ${index + 1}, which ends by ${plan.end}`);
    const post = this.#receivers.post(clock, random, () => death.isAlive);
    const broker = this.#hasWorkers ? new SimulatedBroker(clock, random, plan.broker) : null;
    const bootId = `boot ${this.#boot}`;
    const parts = { folder: this.#folder, clock, random, disk, executor, post, bootId, broker };
    this.#turns.onTurn = () => death.step();
    const life = await this.#drive(clock, Life.open(parts), 'the start');
    const isAlive = () => death.isAlive;
    const streams = new Streams();
    try {
      if (index === 0) await this.#drive(clock, this.#setUp(life, random), 'the first start');
      death.arm();
      disk.faults = plan.disk;
      const acting = {
        life,
        book: this.#book,
        random,
        isAlive,
        accountId: this.#accountId,
        ...{ streams, folder: this.#folder },
      };
      await this.#act(plan, acting, clock);
      if (plan.end === 'calm') await this.#drive(clock, Promise.all(this.#calls), 'a call');
      if (plan.end === 'calm')
        await checkEnd({
          ...acting,
          receivers: this.#receivers,
          executor,
          drive: (work, what) => this.#drive(clock, work, what),
        });
      await this.#drive(clock, streams.end(), 'the streams');
      if (death.isAlive) await this.#drive(clock, life.stop(), 'the stop');
    } finally {
      this.#turns.onTurn = () => undefined;
      await this.#drive(clock, Promise.all(this.#calls), 'a call');
      await this.#drive(clock, life[Symbol.asyncDispose](), 'the end');
    }
    this.#brought += broker?.taken ?? 0;
    if (death.isAlive) this.#nowMs = clock.nowMs;
    else death.restore();
    if (plan.end === 'power') this.#boot += 1;
  }

  async #setUp(life: Life, random: Random): Promise<void> {
    const principal = life.principalOf(ADMIN_ID);
    const fields = { name: 'paid', image_credits: 2, option_credits: { webhook: 1 } };
    const plan = await createPlan(life.app, { principal, fields });
    const account = { name: 'Desk', email: 'desk@example.org', pricing_id: String(plan.id) };
    const { id } = await createUser(life.app, { principal, fields: account });
    await grantCredits(life.app, { principal, id, amount: CREDITS });
    this.#accountId = id;
    if (random.chance(DROPS_SHARE)) await watchDrops(life, this.#folder, id, random);
  }

  async #act(plan: LifePlan, parts: ActionParts, clock: VirtualClock): Promise<void> {
    const { random, isAlive, life, book } = parts;
    for (let left = plan.steps; left > 0 && isAlive(); left -= 1) {
      this.step += 1;
      if (random.chance(0.5)) this.#begin(parts);
      else {
        const untilMs = clock.nowMs + random.pick(WAITS_MS);
        this.trace.push(`${this.step}: the clock goes on to ${untilMs - START_MS} ms`);
        for (let calls = 0; calls < 50 && isAlive() && clock.step(untilMs); calls += 1)
          await this.#turns.quiet();
      }
      await this.#turns.quiet();
      if (isAlive()) checkInvariants({ app: life.app, book });
      if (isAlive()) parts.streams.check(life);
      if (this.#fault !== null) throw this.#fault;
    }
  }

  #fault: unknown = null;
  readonly #calls = new Set<Promise<unknown>>();

  /** Some calls at once, as if clients knew nothing of each other. */
  #begin(parts: ActionParts): void {
    const { random, book, isAlive } = parts;
    for (let calls = random.whole(1, 3); calls > 0; calls -= 1) {
      const { name, run } = drawAction(random);
      this.trace.push(`${this.step}: ${name}`);
      const answered = run(parts).then(
        () => this.trace.push(`${this.step}: ${name} was answered`),
        (error: unknown) => {
          try {
            const reason = refusalOf(error);
            this.trace.push(`${this.step}: ${name} was refused: ${reason}`);
            if (isAlive()) book.refuse(reason);
          } catch (fault) {
            if (isAlive()) this.#fault ??= fault;
          }
        },
      );
      this.#calls.add(answered);
      void answered.then(() => this.#calls.delete(answered));
    }
  }

  /** Lets time pass until the work ends. */
  async #drive<T>(clock: VirtualClock, work: Promise<T>, what: string): Promise<T> {
    let hasEnded = false;
    const end = () => {
      hasEnded = true;
    };
    work.then(end, end);
    for (let calls = 0; calls < CALLS_MAX; calls += 1) {
      await this.#turns.quiet();
      if (hasEnded) return await work;
      if (clock.step()) continue;
      // LMDB closes on a thread of its own.
      await Promise.race([work, delay(REAL_MS_MAX, undefined, { ref: false })]);
      if (!hasEnded) throw new Error(`${what} waits for nothing that will come`);
    }
    throw new Error(`${what} does not end`);
  }
}

const NO_FAULTS = { full: 0, flush: 0 } as const;
const WAITS_MS = [1, 10, 100, 1000, 5000, 30_000, 120_000] as const;

const ALL_ACTIONS: readonly Action[] = [
  ...ACTIONS,
  { name: 'drop', weight: 3, run: dropFiles },
  { name: 'upload', weight: 5, run: uploadByPieces },
  { name: 'make a key', weight: 2, run: makeKey },
  { name: 'watch', weight: 2, run: openStream },
  { name: 'revoke a key', weight: 1, run: revokeSomeKey },
];

function drawAction(random: Random): Action {
  const sum = ALL_ACTIONS.reduce((total, { weight }) => total + weight, 0);
  let at = random.next() * sum;
  for (const action of ALL_ACTIONS) {
    at -= action.weight;
    if (at < 0) return action;
  }
  throw new Error('there are no actions');
}

/** How a life ends unasked: between two awaits the machine's state is kept, and the next life begins with it. */
class Death {
  readonly #folder: string;
  readonly #kept: string;
  readonly #turns: Turns;
  readonly #plan: LifePlan;
  readonly #onDeath: () => void;
  #left: number | null = null;
  isAlive = true;

  constructor(folder: string, plan: LifePlan, turns: Turns, onDeath: () => void) {
    this.#folder = folder;
    this.#kept = `${folder}.kept`;
    this.#plan = plan;
    this.#turns = turns;
    this.#onDeath = onDeath;
  }

  /** From now on it may come. */
  arm(): void {
    if (this.#plan.end === 'kill' || this.#plan.end === 'power') this.#left = this.#plan.turns;
  }

  /** At each place where the process may die. */
  step(): void {
    if (this.#left === null || !this.isAlive) return;
    this.#left -= 1;
    if (this.#left > 0) return;
    this.isAlive = false;
    this.#turns.settleSync();
    cpSync(this.#folder, this.#kept, { recursive: true, preserveTimestamps: true });
    this.#onDeath();
  }

  restore(): void {
    rmSync(this.#folder, { recursive: true, force: true });
    renameSync(this.#kept, this.#folder);
    if (this.#plan.end !== 'power') return;
    const flushed = FaultyDisk.flushedPath(dataFolderOf(this.#folder));
    const records = join(dataFolderOf(this.#folder), 'records');
    if (existsSync(flushed)) renameSync(flushed, join(records, 'data.mdb'));
    // None of the processes is left that had it open.
    rmSync(join(records, 'lock.mdb'), { force: true });
  }
}

/** Whether an analysis begins while files are being accepted: with the runner, a store and a clock that stands still. */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import type { Analysis } from '../../../src/domain/records/classification.ts';
import { DEFAULT_OPTIONS } from '../../../src/domain/records/options.ts';
import { AnalysisRunner, type RunnerConfig } from '../../../src/engine/running/analysis-runner.ts';
import { Store } from '../../../src/store/store.ts';
import { VirtualClock } from '../../simulator/virtual-clock.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';

const START_MS = Date.UTC(2026, 0, 1);

class Box implements AsyncDisposable {
  readonly clock = new VirtualClock(START_MS);
  readonly runner: AnalysisRunner;
  readonly #stack: AsyncDisposableStack;

  private constructor(stack: AsyncDisposableStack, store: Store, analysesMax: number) {
    this.#stack = stack;
    const config: RunnerConfig = { attemptsMax: 3, analysisTimeoutMs: 3_600_000, analysesMax };
    const silent = () => {};
    this.runner = new AnalysisRunner(config, {
      store,
      clock: this.clock,
      bootId: 'boot',
      log: pino({ level: 'silent' }),
      // The analysis runs as long as the test.
      execute: async (_analysis, _reports, signal) =>
        await new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason)),
        ),
      digestsOf: () => ({}),
      lookForCopies: async () => null,
      changed: silent,
      ended: silent,
      stored: silent,
      queueChanged: silent,
    });
    // A drain waits by the clock.
    stack.defer(async () => {
      const drained = this.runner.drain(0);
      let isDrained = false;
      void drained.then(() => {
        isDrained = true;
      });
      while (!isDrained) {
        this.clock.step();
        await nextTurn();
      }
    });
  }

  /** With so many analyses in its queue, on a box that carries out `analysesMax` at once. */
  static async open(count: number, analysesMax: number): Promise<Box> {
    await using stack = new AsyncDisposableStack();
    const folder = stack.use(await makeTemporaryFolder());
    const store = stack.use(await Store.open({ folder: folder.path }));
    const waiting = Array.from({ length: count }, (_, index) => queued(`analysis ${index}`, index));
    await store.transact((tx) => {
      for (const analysis of waiting) tx.putAnalysis(analysis);
    });
    const box = new Box(stack.move(), store, analysesMax);
    for (const analysis of waiting) box.runner.add(analysis);
    return box;
  }

  get running(): number {
    return this.runner.running;
  }

  accept(count: number): Disposable[] {
    return Array.from({ length: count }, () => this.runner.accept());
  }

  /** Lets so much time pass. */
  pass(milliseconds: number): void {
    const untilMs = this.clock.nowMs + milliseconds;
    while (this.clock.step(untilMs));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

function queued(id: string, queuedAt: number): Analysis {
  return {
    ...{ id, key: `key ${id}`, kind: 'image', hash: 'ab'.repeat(32), sourceUrl: null },
    ...{ models: [], accountId: 1, options: { ...DEFAULT_OPTIONS }, state: 'queued', attempts: 0 },
    ...{ lease: null, error: '', queuedAt, endedAt: null, apiVersion: '', result: null },
  };
}

test('while more files are accepted than there are places, one analysis begins a second', async () => {
  await using box = await Box.open(8, 4);
  const files = box.accept(32);
  box.runner.open();
  const counts = [box.running];
  for (const milliseconds of [999, 1, 999, 1]) {
    box.pass(milliseconds);
    counts.push(box.running);
  }
  deepEqual(counts, [1, 1, 2, 2, 3]);
  for (const file of files) file[Symbol.dispose]();
  equal(box.running, 4, 'all places are taken at once when no file waits');
});

test('a file that is accepted takes one place, and gives it back', async () => {
  await using box = await Box.open(8, 4);
  const [first, second] = box.accept(2);
  box.runner.open();
  equal(box.running, 2);
  first?.[Symbol.dispose]();
  equal(box.running, 3);
  second?.[Symbol.dispose]();
  equal(box.running, 4);
});

test('on a box of many cores a burst takes four places', async () => {
  await using box = await Box.open(64, 32);
  box.accept(64);
  box.runner.open();
  equal(box.running, 28);
});

test('a box that leaves all analyses to others withholds no place from them', async () => {
  await using box = await Box.open(8, 0);
  box.accept(32);
  box.runner.open();
  box.runner.resize(6);
  equal(box.running, 6);
});

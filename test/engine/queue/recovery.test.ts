import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import type { Analysis } from '../../../src/domain/records/classification.ts';
import { DEFAULT_OPTIONS } from '../../../src/domain/records/options.ts';
import { markHealthy, type Recovered, recoverAnalyses } from '../../../src/engine/queue/recovery.ts';
import { leaseAnalysis } from '../../../src/engine/queue/transitions.ts';
import { Store } from '../../../src/store/store.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';

const clock = { now: () => 1_000_000 };

class Box implements AsyncDisposable {
  readonly #stack: AsyncDisposableStack;
  readonly #store: Store;

  private constructor(stack: AsyncDisposableStack, store: Store) {
    this.#stack = stack;
    this.#store = store;
  }

  /** With so many analyses in its queue: `a`, `b`, `c`, … */
  static async open(...ids: string[]): Promise<Box> {
    await using stack = new AsyncDisposableStack();
    const folder = stack.use(await makeTemporaryFolder());
    const store = stack.use(await Store.open({ folder: folder.path }));
    for (const [index, id] of ids.entries()) await store.transact((tx) => tx.putAnalysis(queued(id, index)));
    return new Box(stack.move(), store);
  }

  /** The daemon takes these, is killed, and starts again. */
  async die(ids: string[], boots = ['boot', 'boot']): Promise<Recovered> {
    const [before = '', after = ''] = boots;
    await this.#store.transact((tx) => {
      for (const id of ids) leaseAnalysis(tx, id, { slot: 0, startedAt: 1, bootId: before });
    });
    return await recoverAnalyses({ store: this.#store, clock, bootId: after });
  }

  async witness(...ids: string[]): Promise<void> {
    await this.#store.transact((tx) => markHealthy(tx, ids));
  }

  read(id: string): Analysis | undefined {
    return this.#store.read.analyses.get(id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

function queued(id: string, queuedAt: number): Analysis {
  return {
    ...{
      id,
      key: `key ${id}`,
      kind: 'image',
      hash: 'ab'.repeat(32),
      sourceUrl: null,
      models: [],
      accountId: 1,
    },
    ...{ options: { ...DEFAULT_OPTIONS }, state: 'queued', attempts: 0, lease: null, error: '', queuedAt },
    ...{ endedAt: null, apiVersion: '', result: null },
  };
}

const idsOf = (analyses: Iterable<Analysis>): string[] => Array.from(analyses, ({ id }) => id);

test('no analysis is suspected if several were under way; they run again one by one', async () => {
  await using box = await Box.open('a', 'b', 'c');
  for (let death = 0; death < 20; death++) {
    const { ended, open, careful } = await box.die(['a', 'b']);
    deepEqual([idsOf(ended), idsOf(open), [...careful]], [[], ['a', 'b', 'c'], ['a', 'b']]);
  }
  equal(box.read('a')?.attempts, 0);
  equal(box.read('a')?.suspicion, undefined);
});

test('an analysis that was alone goes to the end of the queue, and counts once until another has ended well', async () => {
  await using box = await Box.open('a', 'b');
  for (let death = 0; death < 20; death++) {
    const { ended, open, careful } = await box.die(['a']);
    deepEqual([idsOf(ended), idsOf(open), [...careful]], [[], ['b', 'a'], ['a']]);
  }
  equal(box.read('a')?.suspicion?.deaths, 1);
});

test('the third death alone with others that ended well between puts the file aside', async () => {
  await using box = await Box.open('a', 'b');
  for (const deaths of [1, 2]) {
    await box.die(['a']);
    equal(box.read('a')?.suspicion?.deaths, deaths);
    await box.witness('a');
  }
  const { ended, open } = await box.die(['a']);
  deepEqual([idsOf(ended), idsOf(open)], [['a'], ['b']]);
  const { state, error, isQuarantined } = box.read('a') ?? {};
  deepEqual([state, isQuarantined], ['errored', true]);
  match(error ?? '', /put aside: the appliance ended 3 times while it analysed this file and no other/);
});

test('the third death alone in one boot is enough if nothing else runs', async () => {
  await using box = await Box.open('a');
  await box.die(['a']);
  await box.die(['a']);
  deepEqual(idsOf((await box.die(['a'])).ended), ['a']);
});

test('a death with the whole machine never counts, and those before it no more', async () => {
  await using box = await Box.open('a');
  await box.die(['a']);
  await box.die(['a']);
  for (let boot = 0; boot < 5; boot++) {
    deepEqual(idsOf((await box.die(['a'], [`boot ${boot}`, `boot ${boot + 1}`])).open), ['a']);
    equal(box.read('a')?.suspicion, undefined);
  }
});

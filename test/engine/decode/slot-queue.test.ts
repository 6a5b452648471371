/** In which order decoders that come free serve what waits, by a clock of the test's own. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { mock, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { loadSettings } from '../../../src/config/settings.ts';
import { SlotBusyError } from '../../../src/engine/children/worker-errors.ts';
import { type SlotPurpose, SlotQueue, type WaitOptions } from '../../../src/engine/decode/slot-queue.ts';

/** nginx gives up on its upstream after so long by default. */
const PROXY_PATIENCE_MS = 60_000;

class Decoders {
  nowMs = 0;
  readonly order: string[] = [];
  readonly #queue: SlotQueue;
  readonly #held: Disposable[] = [];

  constructor(slots: { slots: number; probeSlotsMin: number }) {
    this.#queue = new SlotQueue({ ...slots, elapsedMs: () => this.nowMs });
  }

  /** Takes its slot when its turn comes, and holds it. Resolves with what refused it, if something did. */
  async ask(name: string, purpose: SlotPurpose, options: WaitOptions = {}): Promise<unknown> {
    try {
      this.#held.push(await this.#queue.acquire(purpose, options));
      this.order.push(name);
      return undefined;
    } catch (error) {
      return error;
    }
  }

  /** The slot that has been held longest comes free. */
  async free(): Promise<void> {
    this.#held.shift()?.[Symbol.dispose]();
    await nextTurn();
  }
}

async function holdAll(decoders: Decoders): Promise<void> {
  await Promise.all([decoders.ask('held', 'analysis'), decoders.ask('held', 'probe')]);
  decoders.order.length = 0;
}

test('a decoder that comes free serves a look before an analysis that came earlier', async () => {
  const decoders = new Decoders({ slots: 1, probeSlotsMin: 1 });
  await holdAll(decoders);
  void decoders.ask('analysis', 'analysis');
  void decoders.ask('look 1', 'probe');
  void decoders.ask('look 2', 'probe');
  for (let freed = 0; freed < 3; freed++) await decoders.free();
  deepEqual(decoders.order, ['look 1', 'look 2', 'analysis']);
});

test('an account whose looks hold every decoder does not hold up the look of another', async () => {
  const decoders = new Decoders({ slots: 2, probeSlotsMin: 1 });
  for (let count = 1; count <= 8; count++) void decoders.ask(`slow ${count}`, 'probe', { accountId: 1 });
  await nextTurn();
  deepEqual(decoders.order.splice(0), ['slow 1', 'slow 2', 'slow 3']);
  void decoders.ask('other 1', 'probe', { accountId: 2 });
  void decoders.ask('other 2', 'probe', { accountId: 2 });
  void decoders.ask('third', 'probe', { accountId: 3 });
  await nextTurn();
  deepEqual(decoders.order, ['other 1']);
  for (let freed = 0; freed < 4; freed++) await decoders.free();
  deepEqual(decoders.order, ['other 1', 'third', 'slow 4', 'other 2']);
});

test('a look of another account waits for no analysis either', async () => {
  const decoders = new Decoders({ slots: 2, probeSlotsMin: 1 });
  for (let count = 1; count <= 2; count++) void decoders.ask('analysis', 'analysis');
  for (let count = 1; count <= 8; count++) void decoders.ask(`slow ${count}`, 'probe', { accountId: 1 });
  void decoders.ask('other', 'probe', { accountId: 2 });
  await nextTurn();
  deepEqual(decoders.order, ['analysis', 'analysis', 'slow 1', 'other']);
});

test('while looks come without end, one analysis a second gets a decoder', async () => {
  const decoders = new Decoders({ slots: 2, probeSlotsMin: 0 });
  await Promise.all([decoders.ask('held', 'probe'), decoders.ask('held', 'probe')]);
  decoders.order.length = 0;
  for (let count = 0; count < 4; count++) void decoders.ask('analysis', 'analysis');
  for (let tenth = 1; tenth <= 30; tenth++) {
    void decoders.ask('look', 'probe');
    decoders.nowMs = tenth * 100;
    await decoders.free();
  }
  const begun = decoders.order.flatMap((name, index) => (name === 'analysis' ? [index + 1] : []));
  deepEqual(begun, [10, 20, 30]);
});

test('a burst of uploads waits for decoders that stand still, and is refused before a proxy gives up', async () => {
  const { engine } = loadSettings({ argv: [], env: {}, readFile: () => '' });
  const { probeWaitMs: waitTimeoutMs, probeTimeoutMs } = engine;
  ok(waitTimeoutMs + probeTimeoutMs < PROXY_PATIENCE_MS);
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const decoders = new Decoders({ slots: 1, probeSlotsMin: 1 });
    await holdAll(decoders);
    const asked = Array.from({ length: 32 }, (_, index) =>
      decoders.ask(`look ${index}`, 'probe', { waitTimeoutMs }),
    );
    mock.timers.tick(30_000);
    for (let freed = 0; freed < 31; freed++) await decoders.free();
    deepEqual(await Promise.all(asked.slice(0, 31)), Array(31).fill(undefined));
    mock.timers.tick(waitTimeoutMs - 30_000);
    ok((await asked[31]) instanceof SlotBusyError);
    equal(decoders.order.length, 31);
  } finally {
    mock.timers.reset();
  }
});

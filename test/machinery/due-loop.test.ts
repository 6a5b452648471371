import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { MICROSECONDS_PER_MS } from '../../src/domain/time.ts';
import { DueLoop } from '../../src/machinery/due-loop.ts';
import { VirtualClock } from '../simulator/virtual-clock.ts';

const log = pino({ level: 'silent' });

interface Item {
  key: string;
  group: string;
  dueMs: number;
}

/** Items that stay due until they are done; each is done when the test says so. */
class Desk {
  readonly clock = new VirtualClock(0);
  readonly items = new Map<string, Item>();
  readonly begun: string[] = [];
  readonly #ends = new Map<string, (error?: Error) => void>();
  readonly loop: DueLoop<Item>;

  constructor(items: readonly Item[], inFlightMax = 3, inFlightPerGroupMax = 2) {
    for (const item of items) this.items.set(item.key, item);
    const sorted = () => [...this.items.values()].toSorted((a, b) => a.dueMs - b.dueMs);
    this.loop = new DueLoop(
      { inFlightMax, inFlightPerGroupMax },
      {
        due: () => sorted().filter(({ dueMs }) => dueMs <= this.clock.nowMs),
        nextAt: () => {
          const [first] = sorted();
          return first === undefined ? undefined : first.dueMs * MICROSECONDS_PER_MS;
        },
        keyOf: ({ key }) => key,
        groupOf: ({ group }) => group,
        carryOut: ({ key }) => this.#carryOut(key),
        fault: 'it could not be written down',
      },
      { clock: this.clock, log },
    );
    this.loop.start();
  }

  /** Lets virtual time pass, and what it wakes run. */
  async pass(milliseconds: number): Promise<void> {
    const untilMs = this.clock.nowMs + milliseconds;
    await nextTurn();
    while (this.clock.step(untilMs)) await nextTurn();
  }

  end(key: string, error?: Error): void {
    this.#ends.get(key)?.(error);
  }

  async #carryOut(key: string): Promise<void> {
    this.begun.push(key);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#ends.set(key, (error) => (error === undefined ? resolve() : reject(error)));
    await promise;
    this.items.delete(key);
  }
}

const item = (key: string, dueMs = 0): Item => ({ key, group: key.slice(0, 1), dueMs });

test('no more than the bounds are under way, and one group leaves room for others', async () => {
  const desk = new Desk(['a1', 'a2', 'a3', 'a4', 'b1', 'c1'].map((key) => item(key)));
  await desk.pass(0);
  deepEqual(desk.begun, ['a1', 'a2', 'b1']);
  desk.end('b1');
  await desk.pass(0);
  deepEqual(desk.begun, ['a1', 'a2', 'b1', 'c1']);
  desk.end('a1');
  await desk.pass(0);
  deepEqual(desk.begun.at(-1), 'a3');
});

test('later work begins when it is due, without being woken', async () => {
  const desk = new Desk([item('a1', 60_000)]);
  await desk.pass(59_999);
  deepEqual(desk.begun, []);
  await desk.pass(1);
  deepEqual(desk.begun, ['a1']);
});

test('after a failure of the store the same work is repeated, not before five seconds', async () => {
  const desk = new Desk([item('a1')], 1, 1);
  await desk.pass(0);
  desk.end('a1', new Error('the disk is full'));
  await desk.pass(4999);
  equal(desk.begun.length, 1);
  await desk.pass(2);
  equal(desk.begun.length, 2);
});

test('a stop begins no new work and waits for what runs', async () => {
  const desk = new Desk([item('a1'), item('b1', 10)]);
  await desk.pass(0);
  let isStopped = false;
  const stopping = desk.loop.stop(1000).then(() => {
    isStopped = true;
  });
  await desk.pass(100);
  deepEqual([desk.begun, isStopped], [['a1'], false]);
  desk.end('a1');
  await stopping;
});

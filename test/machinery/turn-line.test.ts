/**
 * One piece of work at a time, by turns over accounts.
 *
 * Invariant: accounts take turns, for analyses and for renditions.
 */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { TurnLine } from '../../src/machinery/turn-line.ts';

/** Enters as `account/number` and notes when its turn came; each turn ends when the next one is asked for. */
async function runAll(line: TurnLine, order: string[], ids: readonly [string, number][]): Promise<void> {
  await Promise.all(
    ids.map(async ([id, accountId]) => {
      using _turn = await line.enter(id, accountId);
      order.push(id);
      await new Promise((resolve) => setImmediate(resolve));
    }),
  );
}

test('an account with many does not keep another waiting for all of them', async () => {
  const order: string[] = [];
  await runAll(new TurnLine(), order, [
    ['a1', 1],
    ['a2', 1],
    ['a3', 1],
    ['b1', 2],
    ['c1', 3],
  ]);
  deepEqual(order, ['a1', 'a2', 'b1', 'c1', 'a3']);
});

test('what two accounts wait for comes up when the first of them has its turn, once', async () => {
  const line = new TurnLine();
  const order: string[] = [];
  const all = runAll(line, order, [
    ['a1', 1],
    ['a2', 1],
    ['a3', 1],
    ['a4', 1],
  ]);
  line.join('a4', 2);
  line.join('a4', 2);
  deepEqual([line.depthOf(1), line.depthOf(2)], [3, 1]);
  await all;
  deepEqual(order, ['a1', 'a2', 'a4', 'a3']);
  equal(line.depthOf(1) + line.depthOf(2), 0);
});

test('joining what is at work already changes nothing', async () => {
  const line = new TurnLine();
  const turn = await line.enter('a1', 1);
  line.join('a1', 2);
  const next = line.enter('b1', 2);
  turn[Symbol.dispose]();
  using _turn = await next;
  equal(line.depthOf(2), 0);
});

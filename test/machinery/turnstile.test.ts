import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { Turnstile } from '../../src/machinery/turns/turnstile.ts';

test('accounts take turns, first come first served inside one', async () => {
  const turnstile = new Turnstile(1);
  const order: string[] = [];
  const first = await turnstile.enter(1);
  const all = ['1a', '1b', '1c', '2a'].map(async (name) => {
    using _turn = await turnstile.enter(Number.parseInt(name, 10));
    order.push(name);
    await null;
  });
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  await Promise.all(all);
  deepEqual(order, ['1a', '2a', '1b', '1c']);
});

test('no more than the places are in at once', async () => {
  const turnstile = new Turnstile(2);
  let inside = 0;
  const seen: number[] = [];
  await Promise.all(
    Array.from({ length: 10 }, async (_, index) => {
      using _turn = await turnstile.enter(index % 3);
      inside += 1;
      seen.push(inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
    }),
  );
  deepEqual(Math.max(...seen), 2);
});

/** Enters as `account/number` and notes when its turn came; each turn ends when the next one is asked for. */
async function runAll(
  turnstile: Turnstile,
  order: string[],
  ids: readonly [string, number][],
): Promise<void> {
  await Promise.all(
    ids.map(async ([id, accountId]) => {
      using _turn = await turnstile.enter(accountId, id);
      order.push(id);
      await new Promise((resolve) => setImmediate(resolve));
    }),
  );
}

test('an account with many does not keep another waiting for all of them', async () => {
  const order: string[] = [];
  await runAll(new Turnstile(1), order, [
    ['a1', 1],
    ['a2', 1],
    ['a3', 1],
    ['b1', 2],
    ['c1', 3],
  ]);
  deepEqual(order, ['a1', 'a2', 'b1', 'c1', 'a3']);
});

test('work that two accounts wait for is served once, at the turn of the first', async () => {
  const turnstile = new Turnstile(1);
  const order: string[] = [];
  const all = runAll(turnstile, order, [
    ['a1', 1],
    ['a2', 1],
    ['a3', 1],
    ['a4', 1],
  ]);
  turnstile.join('a4', 2);
  turnstile.join('a4', 2);
  deepEqual([turnstile.depthOf(1), turnstile.depthOf(2)], [3, 1]);
  await all;
  deepEqual(order, ['a1', 'a2', 'a4', 'a3']);
  equal(turnstile.depthOf(1) + turnstile.depthOf(2), 0);
});

test('joining work that already runs changes nothing', async () => {
  const turnstile = new Turnstile(1);
  const turn = await turnstile.enter(1, 'a1');
  turnstile.join('a1', 2);
  const next = turnstile.enter(2, 'b1');
  turn[Symbol.dispose]();
  using _turn = await next;
  equal(turnstile.depthOf(2), 0);
});

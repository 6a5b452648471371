/**
 * Invariant: flushes take turns over accounts.
 */
import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { Turnstile } from '../../src/machinery/turnstile.ts';

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

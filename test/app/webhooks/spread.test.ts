import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { DeliveryLoop, type DeliveryLoopParts } from '../../../src/app/webhooks/delivery-loop.ts';
import { VirtualClock } from '../../simulator/virtual-clock.ts';

test('a record that ends while notices are made is looked at too', async () => {
  const clock = new VirtualClock(0);
  const waiting = Promise.withResolvers<void>();
  let looks = 0;
  // Only what the loop asks of a store without deliveries.
  const store = { read: { dueDeliveries: () => [], nextDeliveryAt: () => undefined } };
  const spreadNotices = async (): Promise<boolean> => {
    looks += 1;
    if (looks === 1) await waiting.promise;
    return false;
  };
  const parts = { clock, log: pino({ level: 'silent' }), store, spreadNotices };
  await using loop = new DeliveryLoop(parts as unknown as DeliveryLoopParts);
  const pass = async () => {
    do await nextTurn();
    while (clock.step(0));
    await nextTurn();
  };
  loop.start();
  await pass();
  equal(looks, 1);
  loop.wake();
  await pass();
  waiting.resolve();
  await pass();
  equal(looks, 2);
});

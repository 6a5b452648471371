import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { pino } from 'pino';
import { setUpFirstStart } from '../../../src/app/appliance/first-start.ts';
import {
  DELIVERIES_MAX,
  DELIVERY_DAYS_MAX,
  redateDeliveries,
  Sweeper,
  type SweeperParts,
  sweepDeliveries,
  sweepRequests,
} from '../../../src/app/appliance/sweeper.ts';
import type { WebhookDelivery } from '../../../src/domain/answers/webhook.ts';
import { REQUEST_ID_TTL_MS } from '../../../src/domain/limits.ts';
import { Sealer } from '../../../src/machinery/sealer.ts';
import { systemClock } from '../../../src/machinery/system-clock.ts';
import { Store } from '../../../src/store/store.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';

const NOW = 1_767_225_600_000_000;
const DAY = 24 * 3600 * 1_000_000;
const NEVER = new AbortController().signal;

interface Room extends AsyncDisposable {
  store: Store;
  parts: SweeperParts;
}

async function openRoom(): Promise<Room> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await makeTemporaryFolder());
  const store = stack.use(await Store.open({ folder: folder.path }));
  const clock = { ...systemClock(), now: () => NOW };
  await setUpFirstStart(store, clock, await Sealer.open(folder.path), {
    dataFolder: folder.path,
    adminEmail: 'admin@example.org',
    adminPassword: null,
    adminApiKey: null,
    rateLimitPerMinute: 0,
  });
  const held = stack.move();
  const parts = { store, clock, log: pino({ level: 'silent' }), unfinishedUploadMs: 86_400_000 };
  return { store, parts, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

function delivery(index: number, change: Partial<WebhookDelivery> = {}): WebhookDelivery {
  const createdAt = change.createdAt ?? NOW - index;
  return {
    id: `msg_${String(index).padStart(32, '0')}`,
    accountId: 1,
    identifier: 'ab'.repeat(32),
    url: 'https://desk.example/hook',
    state: 'delivered',
    createdAt,
    seriesAt: createdAt,
    nextAttemptAt: null,
    noticeId: null,
    attempts: [],
    ...change,
  };
}

/** A delivery that was postponed by a clock ten years ahead. */
function putOff(index: number): WebhookDelivery {
  return delivery(index, { state: 'pending', nextAttemptAt: NOW + 3650 * DAY + index });
}

test('a webhook that a clock years ahead has put off is due once the clock is right', async () => {
  await using room = await openRoom();
  const soon = delivery(2, { state: 'pending', nextAttemptAt: NOW + DAY / 2 });
  await room.store.transact((tx) => {
    tx.putDelivery(putOff(1));
    tx.putDelivery(soon);
  });
  assert.equal(await redateDeliveries(room.parts, NEVER), 1);
  const redated = room.store.read.delivery(putOff(1).id);
  assert.deepEqual([redated?.nextAttemptAt, redated?.seriesAt], [NOW, NOW]);
  assert.deepEqual(room.store.read.delivery(soon.id), soon);
  assert.equal(await redateDeliveries(room.parts, NEVER), 0);
});

test('all webhooks that were put off are due at once, however many', async () => {
  await using room = await openRoom();
  await room.store.transact((tx) => {
    for (let index = 0; index < 450; index++) tx.putDelivery(putOff(index));
  });
  assert.equal(await redateDeliveries(room.parts, NEVER), 450);
  assert.deepEqual(room.store.read.deliveriesDueAfter(NOW, 1), []);
});

test('deliveries older than their time go, those still tried stay', async () => {
  await using room = await openRoom();
  const { store, parts } = room;
  const old = NOW - (DELIVERY_DAYS_MAX + 1) * DAY;
  await store.transact((tx) => {
    tx.putDelivery(delivery(1));
    tx.putDelivery(delivery(2, { createdAt: old }));
    tx.putDelivery(delivery(3, { createdAt: old, state: 'pending', nextAttemptAt: NOW + DAY }));
  });
  assert.equal(await sweepDeliveries(parts, NEVER), 1);
  const kept = store.read.deliveries(1, { limit: 10 }).map(({ id }) => Number(id.slice(4)));
  assert.deepEqual(kept, [1, 3]);
});

test('above their number the oldest go', async () => {
  await using room = await openRoom();
  const { store, parts } = room;
  await store.transact((tx) => {
    for (let index = 0; index < DELIVERIES_MAX + 450; index += 1) tx.putDelivery(delivery(index));
  });
  assert.equal(await sweepDeliveries(parts, NEVER), 450);
  assert.equal(await sweepDeliveries(parts, NEVER), 0);
  const kept = store.read.deliveries(1, { limit: DELIVERIES_MAX + 1 });
  assert.equal(kept.length, DELIVERIES_MAX);
  assert.equal(kept[0]?.createdAt, NOW);
});

test('request identifiers are kept while the clock is behind, and go once it is right', async () => {
  await using room = await openRoom();
  const { store, parts } = room;
  const at = (time: number): SweeperParts => ({ ...parts, clock: { ...parts.clock, now: () => time } });
  await store.transact((tx) =>
    tx.putRequest(1, 'one', { identifier: 'ab'.repeat(32), fingerprint: 'x', at: NOW }),
  );
  assert.equal(await sweepRequests(at(NOW - 365 * DAY), NEVER), 0);
  assert.equal(await sweepRequests(at(NOW + 2 * DAY), NEVER), 1);
});

test('request identifiers go after their day', async () => {
  await using room = await openRoom();
  const { store, parts } = room;
  const request = (at: number) => ({ identifier: 'ab'.repeat(32), fingerprint: 'x', at });
  const expired = NOW - REQUEST_ID_TTL_MS * 1000 - 1;
  await store.transact((tx) => {
    for (let index = 0; index < 450; index += 1) tx.putRequest(1, `old-${index}`, request(expired - index));
    tx.putRequest(1, 'young', request(NOW - 1));
    tx.putRequest(1, 'renewed', request(expired));
    tx.putRequest(1, 'renewed', request(NOW));
  });
  assert.equal(await sweepRequests(parts, NEVER), 450);
  assert.equal(store.read.request(1, 'old-0'), undefined);
  assert.equal(store.read.request(1, 'young')?.at, NOW - 1);
  assert.equal(store.read.request(1, 'renewed')?.at, NOW);
});

test('a start sweeps, and an end waits for it', async () => {
  await using room = await openRoom();
  const { store, parts } = room;
  await store.transact((tx) => tx.putDelivery(delivery(1, { createdAt: NOW - 40 * DAY })));
  await using sweeper = new Sweeper(parts);
  while (store.read.deliveries(1, { limit: 1 }).length > 0) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await sweeper[Symbol.asyncDispose]();
});

test('a full store does not block what frees the disk', async (context) => {
  await using room = await openRoom();
  const { store, parts } = room;
  const touchedAt = NOW - 2 * DAY;
  await store.unfinishedUploads.create({
    ...{ accountId: 1, uploadId: randomUUID(), name: 'a.jpg', sizeBytes: 10, fields: { kind: 'image' } },
    ...{ createdAt: touchedAt, touchedAt, committedBytes: 0, identifier: null },
  });
  await store.transact((tx) => tx.putDelivery(delivery(1, { createdAt: NOW - 40 * DAY })));
  context.mock.method(store, 'transact', () => Promise.reject(new Error('ENOSPC: no space left on device')));
  await using sweeper = new Sweeper(parts);
  await sweeper[Symbol.asyncDispose]();
  assert.deepEqual(store.unfinishedUploads.list(), []);
});

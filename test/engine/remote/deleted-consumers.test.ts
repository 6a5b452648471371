import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import type { Msg, NatsConnection } from '@nats-io/transport-node';
import { pino } from 'pino';
import type { OpenLease } from '../../../src/engine/remote/lease-book.ts';
import { LeaseStream } from '../../../src/engine/remote/lease-stream.ts';
import { anyLease, consumerOf, decode, inboxOf, STREAM } from '../../../src/engine/remote/messages.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';
import { Broker, skipWithoutBroker } from './broker.ts';
import { connectAs } from './lying-worker.ts';

const PACK_SET = 'set';
const LEASE_MS = 30_000;
/** Asks for one message at most, without waiting. */
const PULL = JSON.stringify({ batch: 1 });
const ASK_AGAIN_MS = 1000;
const LOOKS_MAX = 100;
/** The daemon looks again within this time. */
const LATER_MS = 6000;

/** A lease as a worker takes it: it asks again, for a consumer that was just made may not know of what lies in the stream. */
async function pull(worker: NatsConnection): Promise<Msg> {
  const inbox = `${inboxOf('one')}.pulled`;
  const { promise, resolve } = Promise.withResolvers<Msg>();
  const subscription = worker.subscribe(inbox, { callback: (_, message) => resolve(message) });
  const ask = () =>
    worker.publish(`$JS.API.CONSUMER.MSG.NEXT.${STREAM}.${consumerOf(PACK_SET)}`, PULL, { reply: inbox });
  ask();
  const timer = setInterval(ask, ASK_AGAIN_MS);
  const message = await promise;
  clearInterval(timer);
  subscription.unsubscribe();
  return message;
}

for (const target of [`CONSUMER.DELETE.${STREAM}.${consumerOf(PACK_SET)}`, `STREAM.DELETE.${STREAM}`]) {
  test(target, { skip: skipWithoutBroker }, async () => {
    await using folder = await makeTemporaryFolder();
    await using broker = await Broker.start(folder.path, ['one']);
    const daemon = await connectAs(broker, 'daemon');
    const worker = await connectAs(broker, 'one');
    let elapsedMs = 0;
    const log = pino({ level: 'silent' });
    const clock = { elapsedMs: () => elapsedMs };
    const stream = new LeaseStream(LEASE_MS, { connection: () => daemon, clock, log });
    const publish = (id: string) =>
      stream.publish({ id, attempt: { analysis: { kind: 'image' } } } as OpenLease, PACK_SET);
    const manager = await jetstreamManager(daemon);
    await publish('first');
    const lease = await pull(worker);
    worker.publish(lease.reply ?? '', '+ACK', { reply: `$JS.API.${target}` });
    await worker.flush();
    const { streams, consumers } = manager;
    const info = () =>
      target.startsWith('STREAM') ? streams.info(STREAM) : consumers.info(STREAM, consumerOf(PACK_SET));
    // A flush does not wait until the server has handled it.
    const isThere = () =>
      info().then(
        () => true,
        () => false,
      );
    for (let look = 0; look < LOOKS_MAX && (await isThere()); look += 1) await delay(50);
    await assert.rejects(info(), /not found/, 'the server does what the reply subject says');
    elapsedMs += LATER_MS;
    await publish('second');
    assert.deepEqual(await decode(anyLease, (await pull(worker)).data), { lease: 'second' });
    await worker.close();
    await daemon.close();
  });
}

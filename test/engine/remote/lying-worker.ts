/** A program that has a worker's key and sends anything. */
import assert from 'node:assert/strict';
import { jetstream } from '@nats-io/jetstream';
import { connect, type NatsConnection, nkeyAuthenticator } from '@nats-io/transport-node';
import { packKey } from '../../../src/domain/packs/model-pack.ts';
import { VERSION } from '../../../src/domain/version.ts';
import {
  ANSWERS,
  type AnswerTo,
  askSubject,
  consumerOf,
  DAEMON_INBOX,
  decode,
  encode,
  type Grant,
  type Hello,
  inboxOf,
  lease as leaseShape,
  STREAM,
  type Verb,
  type Welcome,
} from '../../../src/engine/remote/messages.ts';
import type { ServedApp } from '../../app/open-app.ts';
import type { Broker } from './broker.ts';

/** Connects with the key, and to the inbox, of a worker or of the daemon. */
export async function connectAs(broker: Broker, name: string): Promise<NatsConnection> {
  const inboxPrefix = name === 'daemon' ? DAEMON_INBOX : inboxOf(name);
  const authenticator = nkeyAuthenticator(new TextEncoder().encode(broker.seedOf(name)));
  return await connect({ servers: broker.address, inboxPrefix, authenticator });
}

/** The message of a worker that has the front's packs and their stated outputs. */
export function honestHello({ app }: ServedApp, places: number): Hello {
  const packs = app.shelf.installed.map(({ pack }) => ({
    ...{ key: packKey(pack), sha256: pack.sha256, provider: 'cpu', precision: 'full' as const, fault: null },
    goldenOutputs: pack.golden.expected,
  }));
  return { version: VERSION, packs, places, clock: 0, isDraining: false };
}

export async function speakAs(broker: Broker, name: string) {
  const connection = await connectAs(broker, name);
  const ask = async <V extends Verb>(verb: V, said: unknown): Promise<AnswerTo<V>> => {
    const { data } = await connection.request(askSubject(name, verb), await encode(said), { timeout: 5000 });
    return (await decode<unknown>(ANSWERS[verb], data)) as AnswerTo<V>;
  };
  return { connection, ask, [Symbol.asyncDispose]: () => connection.close() };
}

/** Takes the next job of the stream, as a worker that was welcomed does. */
export async function takeLease(
  speaker: Pick<Awaited<ReturnType<typeof speakAs>>, 'connection' | 'ask'>,
  welcome: Welcome,
): Promise<{ lease: string; granted: Grant }> {
  const { connection, ask } = speaker;
  const consumer = await jetstream(connection).consumers.get(STREAM, consumerOf(welcome.packSet));
  const message = await consumer.next({ expires: 10_000 });
  assert.ok(message);
  const { lease } = await decode(leaseShape, message.data);
  const granted = await ask('claim', { lease });
  if (granted.type === 'granted') return { lease, granted };
  // A message that was published twice is still there when its lease has ended.
  assert.equal(granted.type, 'gone');
  await message.ackAck();
  return await takeLease(speaker, welcome);
}

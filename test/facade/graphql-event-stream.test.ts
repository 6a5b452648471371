import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { mock, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createKey, listKeys, revokeKey } from '../../src/app/accounts/keys.ts';
import type { App } from '../../src/app/appliance/app.ts';
import type { Payload } from '../../src/facade/graphql/transport/payloads.ts';
import { EventStream } from '../../src/facade/graphql/transport/subscribe.ts';
import { addRecord, openServedApp } from '../app/open-app.ts';

interface Fed {
  stream: EventStream;
  /** Undefined ends the stream. */
  feed(text: string | undefined): void;
  asked(): number;
  isLeft(): boolean;
}

function openFed(): Fed {
  const waiting: ((step: IteratorResult<Payload, undefined>) => void)[] = [];
  let [asked, isLeft] = [0, false];
  const stream = new EventStream({
    next() {
      asked += 1;
      return new Promise((resolve) => waiting.push(resolve));
    },
    async return() {
      isLeft = true;
      return { done: true, value: undefined };
    },
  });
  const feed = (text: string | undefined) =>
    waiting.shift()?.(
      text === undefined ? { done: true, value: text } : { done: false, value: { result: {}, text } },
    );
  return { stream, feed, asked: () => asked, isLeft: () => isLeft };
}

test('a ping first, then each payload as an event, and an event at the end', async () => {
  const { stream, feed } = openFed();
  let text = '';
  stream.on('data', (chunk: Buffer) => {
    text += chunk;
  });
  for (const payload of ['{"data":1}', '{"data":"é"}', undefined]) {
    await delay(1);
    feed(payload);
  }
  await once(stream, 'end');
  assert.equal(
    text,
    ':\n\nevent: next\ndata: {"data":1}\n\nevent: next\ndata: {"data":"é"}\n\nevent: complete\ndata:\n\n',
  );
});

test('the next payload is taken when the one before has left', async () => {
  const { stream, feed, asked } = openFed();
  stream.read();
  await delay(1);
  feed('1');
  await delay(1);
  assert.equal(asked(), 1);
  stream.read();
  await delay(1);
  assert.equal(asked(), 2);
  stream.destroy();
});

test('a waiting reader is sent a ping every twelve seconds, one that does not read none', async () => {
  mock.timers.enable({ apis: ['setInterval'] });
  try {
    const { stream, feed } = openFed();
    stream.read();
    await Promise.resolve();
    stream.read();
    mock.timers.tick(12_000);
    assert.equal(String(stream.read()), ':\n\n');
    feed('1');
    await new Promise(setImmediate);
    mock.timers.tick(60_000);
    assert.equal(String(stream.read()), 'event: next\ndata: 1\n\n');
    stream.destroy();
  } finally {
    mock.timers.reset();
  }
});

test('destroying it leaves the subscription', async () => {
  const { stream, isLeft } = openFed();
  stream.read();
  stream.destroy();
  await once(stream, 'close');
  assert.equal(isLeft(), true);
});

const WATCH = 'subscription { classifications { identifier name refId } }';
/** So many of them are more than the buffers of two sockets hold. */
const NAME_BYTES = 500_000;
const CHANGES = 40;

interface Watcher {
  socket: Socket;
  /** The events that it got, without the names. */
  events: readonly string[];
  /** Waits until the client has got the change. */
  knows(refId: string): Promise<void>;
}

async function openWatcher(url: string, key: string): Promise<Watcher> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const events: string[] = [];
  let rest: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => {
    rest.push(chunk);
    if (!chunk.includes('\n\n')) return;
    events.push(String(Buffer.concat(rest)).replaceAll(/n{10,}/g, ''));
    rest = [];
  });
  socket.on('error', () => {});
  const body = JSON.stringify({ query: WATCH });
  const type = 'Accept: text/event-stream\r\nContent-Type: application/json';
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  socket.write(
    `POST /graphql HTTP/1.1\r\nHost: localhost\r\n${type}\r\nX-Api-Key: ${key}\r\n${length}\r\n\r\n${body}`,
  );
  const knows = (refId: string) =>
    until(() => events.slice(-2).some((event) => event.includes(`"refId":"${refId}"`)));
  return { socket, events, knows };
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let poll = 0; poll < 3000; poll++) {
    if (await isSo()) return;
    await delay(5);
  }
  throw new Error('waited in vain');
}

async function change(app: App, identifier: string, refId: string): Promise<void> {
  const record = app.store.read.records.get(identifier);
  assert.ok(record !== undefined);
  const name = 'n'.repeat(NAME_BYTES);
  await app.store.transact((tx) => tx.putClassification({ ...record, name, refId }));
  app.feed.publishRecord(identifier, record);
}

test('a reader that is slow, loses its key or leaves does not disturb the others', async () => {
  await using open = await openServedApp();
  const { app, admin, url } = open;
  const identifier = await addRecord(app, 1, { hash: 'd'.repeat(64) });
  const [lasting, ending] = [
    await createKey(app, { principal: admin, name: 'lasting' }),
    await createKey(app, { principal: admin, name: 'ending' }),
  ];
  const watchers: Watcher[] = [];
  for (const { secret } of [lasting, lasting, ending, lasting]) watchers.push(await openWatcher(url, secret));
  const [fast, slow, ended, leaving] = watchers;
  assert.ok(fast !== undefined && slow !== undefined && ended !== undefined && leaving !== undefined);
  const count = async () => (await app.metrics.watchers.get()).values[0]?.value ?? 0;
  await until(async () => (await count()) === watchers.length);
  await change(app, identifier, 'first');
  for (const watcher of watchers) await watcher.knows('first');
  slow.socket.pause();
  leaving.socket.destroy();
  const id = listKeys(app, { principal: admin }).find(({ name }) => name === 'ending')?.id ?? 0;
  await revokeKey(app, { principal: admin, id });
  await until(() => ended.events.join('').includes('"reason":"key"'));
  await until(async () => (await count()) === 2);
  for (let step = 1; step <= CHANGES; step++) {
    await change(app, identifier, `step ${step}`);
    await fast.knows(`step ${step}`);
  }
  slow.socket.resume();
  await slow.knows(`step ${CHANGES}`);
  const sentCount = slow.events.join('').match(/"refId":"step/g)?.length ?? 0;
  assert.ok(sentCount < CHANGES, `the slow one was kept ${sentCount} changes`);
  assert.doesNotMatch(ended.events.join(''), /step/);
  for (const { socket } of watchers) socket.destroy();
  await until(async () => (await count()) === 0);
});

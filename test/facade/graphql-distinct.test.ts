import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Payload } from '../../src/facade/graphql/transport/payloads.ts';
import { withoutRepetition } from '../../src/facade/graphql/transport/subscribe.ts';
import { addRecord, IDENTIFIER, openGraphqlFixture } from './graphql-fixture.ts';

async function* watched(...values: number[]): AsyncGenerator<number> {
  yield* values;
}

async function toPayload(value: number): Promise<Payload> {
  return { result: { data: { value } }, text: String(value) };
}

test('only what differs from the payload before is passed on', async () => {
  const passed: string[] = [];
  for await (const { text } of withoutRepetition(watched(1, 1, 2, 2, 2, 1), toPayload)) passed.push(text);
  assert.deepEqual(passed, ['1', '2', '1']);
});

test('leaving ends the source, also while it waits', async () => {
  let isReturned = false;
  const source = {
    next: () => new Promise<never>(() => {}),
    async return() {
      isReturned = true;
      return { done: true as const, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
  const distinct = withoutRepetition(source, toPayload);
  void distinct.next();
  assert.equal((await distinct.return?.())?.done, true);
  assert.equal(isReturned, true);
});

test('progress is not sent to who did not select it', async () => {
  await using fixture = await openGraphqlFixture();
  await addRecord(fixture);
  const stop = new AbortController();
  const query = `subscription { classification(identifier: "${IDENTIFIER}") { status refId } }`;
  const response = await fetch(fixture.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', 'x-api-key': fixture.key },
    body: JSON.stringify({ query }),
    signal: stop.signal,
  });
  let text = '';
  const reader = response.body?.getReader();
  assert.ok(reader !== undefined);
  const reading = (async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      text += Buffer.from(part.value).toString('utf8');
    }
  })().catch(() => {});
  for (let round = 0; round < 5; round += 1) {
    await delay(30);
    fixture.app.feed.publish(IDENTIFIER, [1]);
  }
  const record = fixture.app.store.read.records.get(IDENTIFIER);
  assert.ok(record !== undefined);
  await fixture.app.store.transact((tx) => tx.putClassification({ ...record, refId: 'changed' }));
  fixture.app.feed.publish(IDENTIFIER, [1]);
  for (let poll = 0; poll < 500 && !text.includes('changed'); poll += 1) await delay(10);
  stop.abort();
  await reading;
  assert.equal(text.match(/^data: .+$/gm)?.length, 2, text);
});

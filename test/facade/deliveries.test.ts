import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { credentials } from '@grpc/grpc-js';
import { AssayClient } from '../../src/cli/daemon/client.ts';
import { AccountService } from '../../src/grpc/gen/assay/v1/account_service_pb.ts';
import { DeliveryState, type WebhookDelivery } from '../../src/grpc/gen/assay/v1/webhook_pb.ts';
import { type OpenBox, openBox } from '../app/open-box.ts';
import { TEST_KEY } from '../daemon.ts';
import { patternImage } from '../media/pictures.ts';
import { awaitWatchers } from '../watchers.ts';
import { GraphqlCaller } from './graphql-caller.ts';

const { method } = AccountService;

async function startReceiver(): Promise<AsyncDisposable & { url: string; ids: string[] }> {
  const ids: string[] = [];
  const server = createServer((request, response) => {
    ids.push(String(request.headers['webhook-id']));
    request.resume().on('end', () => response.writeHead(204).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const dispose = async (): Promise<void> => void server.close();
  return { url: `http://127.0.0.1:${port}/hook`, ids, [Symbol.asyncDispose]: dispose };
}

function startDaemon(): Promise<OpenBox> {
  const loopback = '127.0.0.0/8';
  const env = { ASSAY_WEBHOOK_ALLOW_NETWORKS: loopback, ASSAY_FETCH_ALLOW_NETWORKS: loopback };
  return openBox({ models: 'tiny', env });
}

async function submit(daemon: OpenBox, webhookUrl: string): Promise<void> {
  const form = new FormData();
  const picture = await patternImage(512, 512).png().toBuffer();
  form.set('image', new Blob([Uint8Array.from(picture)]), 'a.png');
  form.set('webhook_url', webhookUrl);
  const headers = { 'x-api-key': TEST_KEY, accept: 'application/json' };
  const response = await fetch(`${daemon.http}/api/classification`, { method: 'POST', headers, body: form });
  assert.equal(response.status, 200, await response.text());
}

/** Reads until the delivery has arrived. */
async function untilDelivered(changes: AsyncGenerator<WebhookDelivery>): Promise<WebhookDelivery> {
  for (;;) {
    const { value, done } = await changes.next();
    assert(done !== true, 'the watch ended');
    if (value.state === DeliveryState.DELIVERED) return value;
  }
}

async function* watchGrpc(client: AssayClient, signal: AbortSignal): AsyncGenerator<WebhookDelivery> {
  for await (const { delivery } of client.receive(method.watchDeliveries, {}, signal)) {
    if (delivery !== undefined) yield delivery;
  }
}

test('deliveries are followed, listed and replayed on both protocols; failed work is in the queue', async () => {
  await using receiver = await startReceiver();
  await using daemon = await startDaemon();
  using client = new AssayClient(
    { address: daemon.grpc, credentials: credentials.createInsecure() },
    TEST_KEY,
  );
  const caller = new GraphqlCaller(daemon.http, TEST_KEY);
  const departure = new AbortController();
  const changes = watchGrpc(client, departure.signal);
  const events = caller.subscribe('subscription { deliveries { id state attempts { status error } } }');
  const [firstChange, firstEvent] = [untilDelivered(changes), events.next()];
  await awaitWatchers(daemon, 2);
  await submit(daemon, receiver.url);
  const delivery = await firstChange;
  assert.equal(delivery.url, receiver.url);
  assert.equal(delivery.attempts.at(-1)?.status, 204);
  assert.deepEqual(receiver.ids, [delivery.id]);
  let seen = (await firstEvent).value.deliveries;
  while (seen.state !== 'DELIVERED') seen = (await events.next()).value.deliveries;
  assert.deepEqual([seen.id, seen.attempts], [delivery.id, [{ status: 204, error: '' }]]);

  const listed = await client.call(method.listDeliveries, {});
  assert.deepEqual(
    listed.deliveries.map(({ id }) => id),
    [delivery.id],
  );
  const replay = `mutation { replayDelivery(id: "${delivery.id}") { delivery { state } userErrors { reason } } }`;
  assert.equal((await caller.read(replay)).replayDelivery.delivery.state, 'PENDING');
  const again = await untilDelivered(changes);
  assert.deepEqual([again.id, again.attempts.length], [delivery.id, 2]);
  assert.deepEqual(receiver.ids, [delivery.id, delivery.id]);
  departure.abort();
  await changes.return(undefined);
  await events.return(undefined);
  await failOne(caller, receiver.url);
});

/** Submits an address that cannot be fetched, which the administrator finds among the failed. */
async function failOne(caller: GraphqlCaller, fileUrl: string): Promise<void> {
  const submission = `mutation ($input: SubmitMediaInput!) {
    submitMedia(input: $input) { classification { identifier } userErrors { message } } }`;
  const { submitMedia } = await caller.read(submission, { input: { kind: 'IMAGE', fileUrl } });
  assert.deepEqual(submitMedia.userErrors, []);
  const watch = `subscription { classification(identifier: "${submitMedia.classification.identifier}") { status } }`;
  for await (const { classification } of caller.subscribe(watch)) {
    if (classification.status === 'ERRORED') break;
  }
  const { queue } = await caller.read('{ queue { failed { identifiers error startedAt } waitingTotal } }');
  assert.equal(queue.failed.length, 1);
  assert.deepEqual(queue.failed[0].identifiers, [submitMedia.classification.identifier]);
  assert.notEqual(queue.failed[0].error, '');
}

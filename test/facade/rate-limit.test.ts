import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fromBinary } from '@bufbuild/protobuf';
import { credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { ClassificationService } from '../../src/grpc/gen/assay/v1/classification_service_pb.ts';
import { ErrorInfoSchema, RetryInfoSchema } from '../../src/grpc/gen/google/rpc/error_details_pb.ts';
import { StatusSchema } from '../../src/grpc/gen/google/rpc/status_pb.ts';
import { TEST_KEY, TestDaemon } from '../daemon.ts';
import { openServiceClient } from '../service-client.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../temporary-folder.ts';

const LIMIT = 6;
const KEY = { 'x-api-key': TEST_KEY };
let folder: TemporaryFolder;
let daemon: TestDaemon;

before(async () => {
  folder = await makeTemporaryFolder();
  daemon = await start({ ASSAY_RATE_LIMIT_PER_MINUTE: String(LIMIT) });
});

after(async () => {
  await daemon[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** A restart clears the counts, so each test begins with a fresh minute. */
async function start(env: Record<string, string>): Promise<TestDaemon> {
  return await TestDaemon.start({ models: 'tiny', folder: folder.path, env, awaitReady: false });
}

async function restart(env: Record<string, string>): Promise<void> {
  equal(await daemon.kill('SIGTERM'), 0);
  daemon = await start(env);
}

function getCredits(headers: Record<string, string> = KEY): Promise<Response> {
  return fetch(`${daemon.http}/api/user/credits`, { headers });
}

async function queryCredits(): Promise<{ status: number; retryAfter: string | null; body: GraphqlBody }> {
  const response = await fetch(`${daemon.http}/graphql`, {
    method: 'POST',
    headers: { ...KEY, 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query: '{ viewer { credits { availableCredits } } }' }),
  });
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    body: (await response.json()) as GraphqlBody,
  };
}

interface GraphqlBody {
  data?: object | null;
  errors?: { extensions: { code: string; reason: string; retryAfterSeconds: number } }[];
}

/** Null where the call was answered. */
function listByGrpc(): Promise<ServiceError | null> {
  const client = openServiceClient(ClassificationService, daemon.grpc, credentials.createInsecure());
  const metadata = new Metadata();
  metadata.set('x-api-key', TEST_KEY);
  return new Promise((resolve) => {
    client.listClassifications({}, metadata, {}, (error) => {
      client.close();
      resolve(error);
    });
  });
}

test('every authenticated answer says what is left, and the limit refuses in each protocol', async () => {
  const first = await getCredits();
  equal(first.status, 200);
  equal(first.headers.get('ratelimit-policy'), `"plan";q=${LIMIT};w=60`);
  match(first.headers.get('ratelimit') ?? '', new RegExp(`^"plan";r=${LIMIT - 1};t=(60|59)$`));
  equal((await queryCredits()).status, 200);
  equal(await listByGrpc(), null);
  const fourth = await getCredits();
  match(fourth.headers.get('ratelimit') ?? '', new RegExp(`^"plan";r=${LIMIT - 4};`), 'one count for all');
  await getCredits();
  await getCredits();

  const refused = await getCredits();
  equal(refused.status, 429);
  const seconds = Number(refused.headers.get('retry-after'));
  ok(seconds >= 1 && seconds <= 60, String(seconds));
  equal(refused.headers.get('ratelimit-policy'), `"plan";q=${LIMIT};w=60`);
  equal(refused.headers.get('ratelimit'), `"plan";r=0;t=${seconds}`);
  const { message } = (await refused.json()) as { message: string };
  match(message, /the plan allows 6 calls a minute/);

  const graphql = await queryCredits();
  equal(graphql.status, 429);
  ok(Number(graphql.retryAfter) >= 1);
  const extensions = graphql.body.errors?.[0]?.extensions;
  deepEqual([extensions?.code, extensions?.reason], ['RESOURCE_EXHAUSTED', 'rate']);
  ok((extensions?.retryAfterSeconds ?? 0) >= 1);

  const grpc = await listByGrpc();
  equal(grpc?.code, status.RESOURCE_EXHAUSTED);
  const [bytes] = grpc?.metadata.get('grpc-status-details-bin') ?? [];
  ok(bytes instanceof Buffer);
  const { details } = fromBinary(StatusSchema, bytes);
  const info = details.find(({ typeUrl }) => typeUrl.endsWith('ErrorInfo'));
  const retry = details.find(({ typeUrl }) => typeUrl.endsWith('RetryInfo'));
  ok(info !== undefined && retry !== undefined);
  equal(fromBinary(ErrorInfoSchema, info.value).reason, 'RATE');
  ok((fromBinary(RetryInfoSchema, retry.value).retryDelay?.seconds ?? 0n) >= 1n);
});

test('an export is a call, whatever range it is asked for by', async () => {
  const headers = { ...KEY, range: 'bytes=0-' };
  equal((await fetch(`${daemon.http}/exports/records.csv`, { headers })).status, 429);
});

test('an upload is refused before it is read', async () => {
  const form = new FormData();
  form.set('image', new Blob([Buffer.alloc(1000)]), 'a.jpg');
  const init = { method: 'POST', headers: KEY, body: form };
  const response = await fetch(`${daemon.http}/api/classification`, init);
  equal(response.status, 429);
});

test('each operation of a socket is a call', async () => {
  const client = createClient({
    url: `${daemon.http.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { 'x-api-key': TEST_KEY },
    retryAttempts: 0,
  });
  for (const query of [
    '{ viewer { credits { availableCredits } } }',
    'subscription { classifications { identifier } }',
  ]) {
    const error = await new Promise<unknown>((resolve) => {
      client.subscribe(
        { query },
        { next: ({ errors }) => resolve(errors), error: resolve, complete: () => resolve(undefined) },
      );
    });
    const [first] = error as { extensions: { reason: string; code: string } }[];
    deepEqual([first?.extensions.code, first?.extensions.reason], ['RESOURCE_EXHAUSTED', 'rate'], query);
  }
  await client.dispose();
});

test('an unknown caller is not counted, and health costs no call', async () => {
  equal((await getCredits({ 'x-api-key': 'assay_wrong' })).status, 401);
  equal((await getCredits({})).status, 401);
  equal((await fetch(`${daemon.http}/livez`)).status, 200);
});

test('the setting holds from every start', async () => {
  await restart({ ASSAY_RATE_LIMIT_PER_MINUTE: '1' });
  equal((await getCredits()).headers.get('ratelimit-policy'), '"plan";q=1;w=60');
  equal((await getCredits()).status, 429);
  await restart({});
  const free = await Promise.all(Array.from({ length: 20 }, () => getCredits()));
  ok(free.every((response) => response.status === 200 && response.headers.get('ratelimit') === null));
});

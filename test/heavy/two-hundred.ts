/** 200 pictures at once over gRPC: all end done, memory stays bounded, and GET /livez shows a free event loop. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { quantile } from '../../evaluate/quantile.ts';
import { ClassificationService } from '../../src/grpc/gen/assay/v1/classification_service_pb.ts';
import { MediaKind } from '../../src/grpc/gen/assay/v1/media_pb.ts';
import { TEST_KEY, TestDaemon } from '../daemon.ts';
import { awaitIdle, distinctPicture, metricOf, pidOf } from '../faults/rounds/submissions.ts';
import { openServiceClient, type ServiceClient } from '../service-client.ts';
import type { LivezSample } from './livez-probe.ts';

const PICTURES = 200;
const SIDE = 640;
const RSS_ANON_MB_MAX = 300;
const IDLE_MS = 5000;
const MB = 1e6;
const END_TIMEOUT_MS = 600_000;

type Client = ServiceClient<typeof ClassificationService>;

const metadata = new Metadata();
metadata.set('x-api-key', TEST_KEY);

/** Samples from a process of its own until the returned function is called. */
function watch(daemon: TestDaemon): () => Promise<LivezSample[]> {
  const probe = fork(join(import.meta.dirname, 'livez-probe.ts'), [daemon.http, String(pidOf(daemon))]);
  const samples = once(probe, 'message').then(([message]) => message as LivezSample[]);
  return async () => {
    probe.send('stop');
    return await samples;
  };
}

function submitOnce(client: Client, name: string, bytes: Buffer): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const call = client.submitMedia(metadata, {}, (error, response) => {
    if (error === null) resolve(response?.classification?.identifier ?? '');
    else reject(error);
  });
  call.on('error', () => {});
  const header = { name, kind: MediaKind.IMAGE, sizeBytes: BigInt(bytes.length) };
  call.write({ payload: { case: 'header', value: header } });
  call.write({ payload: { case: 'chunk', value: bytes } });
  call.write({ payload: { case: 'commit', value: { sizeBytes: BigInt(bytes.length) } } });
  call.end();
  return promise;
}

/** A box that is busy says so and names a time; a customer's client comes back. */
async function submit(client: Client, name: string, bytes: Buffer, onBusy: () => void): Promise<string> {
  for (;;) {
    try {
      return await submitOnce(client, name, bytes);
    } catch (error) {
      const { code } = error as ServiceError;
      if (code !== status.UNAVAILABLE && code !== status.RESOURCE_EXHAUSTED) throw error;
      onBusy();
      await delay(1000);
    }
  }
}

function describe(phase: string, samples: readonly LivezSample[]) {
  const peak = samples.reduce((most, { rssBytes }) => Math.max(most, rssBytes), 0) / MB;
  const latencies = samples.map(({ latencyMs }) => latencyMs);
  const latency = (share: number) => `${quantile(latencies, share).toFixed(1)} ms`;
  const row = {
    phase,
    samples: samples.length,
    'livez median': latency(0.5),
    'livez p99': latency(0.99),
    'livez max': latency(1),
    'RssAnon peak': `${peak.toFixed(0)} MB`,
  };
  return { row, peak };
}

async function awaitAllEnded(daemon: TestDaemon): Promise<number> {
  const done = 'assay_analyses_total{kind="image",state="done"}';
  const errored = 'assay_analyses_total{kind="image",state="errored"}';
  const deadline = performance.now() + END_TIMEOUT_MS;
  while ((await metricOf(daemon, done)) + (await metricOf(daemon, errored)) < PICTURES) {
    if (performance.now() > deadline) throw new Error('the pictures did not end in time');
    await delay(500);
  }
  await awaitIdle(daemon);
  return await metricOf(daemon, done);
}

async function run(): Promise<void> {
  const pictures: Buffer[] = [];
  for (let seed = 0; seed < PICTURES; seed++) pictures.push(await distinctPicture(seed, SIDE));
  await using daemon = await TestDaemon.start();
  const client = openServiceClient(ClassificationService, daemon.grpc, credentials.createInsecure());
  const stopIdle = watch(daemon);
  await delay(IDLE_MS);
  const idle = describe('idle', await stopIdle());
  const stopLoaded = watch(daemon);
  const startedAt = performance.now();
  let busy = 0;
  const submissions = pictures.map((bytes, index) => submit(client, `${index}.jpg`, bytes, () => busy++));
  const identifiers = new Set(await Promise.all(submissions));
  const acceptedMs = performance.now() - startedAt;
  const done = await awaitAllEnded(daemon);
  const seconds = (performance.now() - startedAt) / 1000;
  const load = describe('load', await stopLoaded());
  client.close();
  console.table([idle.row, load.row]);
  console.table([
    { pictures: PICTURES, accepted: identifiers.size, done, 'asked to come back': busy },
    {
      'all accepted after': `${(acceptedMs / 1000).toFixed(1)} s`,
      'all done after': `${seconds.toFixed(1)} s`,
    },
  ]);
  if (done === PICTURES && identifiers.size === PICTURES && load.peak <= RSS_ANON_MB_MAX) return;
  process.stderr.write(`missed: ${PICTURES} done and at most ${RSS_ANON_MB_MAX} MB were to be held\n`);
  process.exitCode = 1;
}

await run();

/** Workers on other boxes: a front without models of its own, a real nats-server, and workers that are killed, cut off and lie. */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { jetstream } from '@nats-io/jetstream';
import { Agent, setGlobalDispatcher } from 'undici';
import { updatePlan } from '../../../src/app/accounts/plans.ts';
import { readMetrics } from '../../../src/app/appliance/appliance.ts';
import { listWorkers } from '../../../src/app/appliance/workers.ts';
import type { Analysis } from '../../../src/domain/records/classification.ts';
import { VERSION } from '../../../src/domain/version.ts';
import {
  consumerOf,
  decode,
  encode,
  type Grant,
  type Hello,
  lease as leaseShape,
  STREAM,
  type WorkerFailure,
} from '../../../src/engine/remote/messages.ts';
import { addUser, openServedApp, principalOf, type ServedApp } from '../../app/open-app.ts';
import { makeIdentity } from '../../certificates.ts';
import { TEST_KEY } from '../../daemon.ts';
import { KEY_HEADERS } from '../../faults/rounds/submissions.ts';
import { makeClip, makePicture, makeSpeech } from '../../interface/media.ts';
import { writeTinyImagePack } from '../../interface/packs.ts';
import { writeTinySpeechPack } from '../../models/tiny-speech-pack.ts';
import { PATIENCE_MS } from '../../patience.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../temporary-folder.ts';
import { Broker, skipWithoutBroker, TestWorker } from './broker.ts';
import { speakAs, takeLease } from './lying-worker.ts';

const skip = skipWithoutBroker;
const COMMON = { ASSAY_INFERENCE_PROCESSES: '1', ASSAY_DECODE_SLOTS: '1' };
/** A film takes the model long enough that its worker is met at work. */
const SLOW_ROUNDS = 30;
const LEASE_MS = 2000;
const POLL_MS = 50;

let folder: TemporaryFolder;
let broker: Broker;
let front: ServedApp;
let worker: TestWorker;

before(async () => {
  if (skip) return;
  folder = await makeTemporaryFolder();
  await writeTinySpeechPack(modelFolder());
  await writeTinyImagePack(modelFolder(), { id: 'slow', minimumShortSide: 100, slowRounds: SLOW_ROUNDS });
  broker = await Broker.start(join(folder.path, 'broker'), ['one', 'two', 'liar']);
  const data = join(folder.path, 'front');
  front = await openServedApp({
    ...writeCertificate(),
    ...common(),
    ...broker.envOf('daemon'),
    ASSAY_ADMIN_API_KEY: TEST_KEY,
    ASSAY_DATA_DIR: data,
    ASSAY_QUEUE_RUNNING_MAX: '0',
    ASSAY_WORKERS_LISTEN: '127.0.0.1:0',
    ASSAY_WORKERS_LEASE_SECONDS: String(LEASE_MS / 1000),
  });
  worker = await startWorker('one');
});

after(async () => {
  await worker?.[Symbol.asyncDispose]();
  await front?.[Symbol.asyncDispose]();
  await broker?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

const modelFolder = (): string => join(folder.path, 'models');
const common = () => ({ ...COMMON, ASSAY_MODELS_FOLDERS: modelFolder() });

/** Media go over TLS, as between boxes, with a certificate that only the front vouches for. */
function writeCertificate(): Record<string, string> {
  const { cert, key } = makeIdentity({ name: 'front', issuer: makeIdentity({ name: 'unknown issuer' }) });
  const [certFile, keyFile] = ['cert.pem', 'key.pem'].map((name) => join(folder.path, name));
  writeFileSync(certFile ?? '', cert);
  writeFileSync(keyFile ?? '', key);
  setGlobalDispatcher(new Agent({ connect: { rejectUnauthorized: false } }));
  return { ASSAY_TLS_CERT_FILE: certFile ?? '', ASSAY_TLS_KEY_FILE: keyFile ?? '' };
}

async function startWorker(name: string, env: Record<string, string> = {}): Promise<TestWorker> {
  const data = join(folder.path, name);
  const own = { ASSAY_DATA_DIR: data, ASSAY_QUEUE_RUNNING_MAX: '1' };
  return await TestWorker.start(name, { ...common(), ...broker.envOf(name), ...own, ...env });
}

const WAYS = {
  image: 'classification',
  audio: 'classification_audio',
  video: 'classification_video',
} as const;
type Kind = keyof typeof WAYS;

async function submit(
  { url }: ServedApp,
  kind: Kind,
  bytes: Uint8Array,
  options: Record<string, string> = {},
): Promise<string> {
  const body = new FormData();
  for (const [name, value] of Object.entries(options)) body.set(name, value);
  body.set(kind, new Blob([Uint8Array.from(bytes)]), 'file');
  const response = await fetch(`${url}/api/${WAYS[kind]}`, { method: 'POST', headers: KEY_HEADERS, body });
  const identifier = await response.text();
  assert.equal(response.status, 200, identifier);
  return identifier;
}

function analysisOf({ app }: ServedApp, identifier: string): Analysis {
  const analysisId = app.store.read.records.get(identifier)?.analysisId ?? '';
  const analysis = app.store.read.analyses.get(analysisId);
  assert.ok(analysis);
  return analysis;
}

async function until(what: string, holds: () => boolean): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; !holds(); await delay(POLL_MS)) {
    assert.ok(Date.now() < deadline, `${what}; the worker says ${worker.stderr.slice(-5).join('\n')}`);
  }
}

async function ended(box: ServedApp, identifier: string): Promise<Analysis> {
  const isOpen = () => ['queued', 'running'].includes(analysisOf(box, identifier).state);
  await until(`${identifier} ends`, () => !isOpen());
  return analysisOf(box, identifier);
}

/** Times differ from run to run, and identifiers are made for each. */
function figuresOf({ result }: Analysis): unknown {
  const own = ['elapsedSeconds', 'identifier'];
  return JSON.parse(JSON.stringify(result, (key, value) => (own.includes(key) ? undefined : value)));
}

const workerNamed = (name: string) => front.app.remote?.workers().find((box) => box.name === name);

test('a picture, a voice and a film have the same result from a worker as from the own box, to the bit', {
  skip,
}, async () => {
  const data = join(folder.path, 'home');
  await using home = await openServedApp({
    ...common(),
    ASSAY_ADMIN_API_KEY: TEST_KEY,
    ASSAY_DATA_DIR: data,
  });
  await until('the box at home is ready', () => home.app.engine.phase === 'ready');
  const media = [
    ['image', await makePicture()],
    ['audio', makeSpeech()],
    ['video', makeClip()],
  ] as const;
  for (const [kind, bytes] of media) {
    const here = await ended(home, await submit(home, kind, bytes));
    const there = await ended(front, await submit(front, kind, bytes));
    assert.equal(there.state, 'done', there.error);
    assert.deepEqual(figuresOf(there), figuresOf(here), kind);
    assert.deepEqual(there.modelDigests, here.modelDigests);
  }
  await until('the worker is credited with all of them', () => workerNamed('one')?.done === media.length);
});

test('the frames of a film are there, under names that the front gave', { skip }, async () => {
  const { result, id } = await ended(front, await submit(front, 'video', makeClip()));
  assert.ok(result?.kind === 'video' && result.frames.length > 0);
  for (const { identifier, file } of result.frames) {
    assert.match(identifier, /^[0-9a-f]{64}$/);
    assert.ok(existsSync(front.app.store.artifacts.pathOf(id, file)), file);
  }
});

test('work of a killed worker costs one lease, no attempt and nothing else', { skip }, async () => {
  const identifier = await submit(front, 'video', makeClip({ seconds: 4 }));
  await until('the worker holds it', () => workerNamed('one')?.running === 1);
  await worker.end('SIGKILL');
  worker = await startWorker('two');
  const analysis = await ended(front, identifier);
  assert.equal(analysis.state, 'done', analysis.error);
  assert.equal(analysis.attempts, 1);
});

test('a cancel reaches the worker, which is free at once', { skip }, async () => {
  const identifier = await submit(front, 'video', makeClip({ seconds: 5 }));
  await until('the worker holds it', () => workerNamed('two')?.running === 1);
  const query = `mutation { cancelClassification(identifier: "${identifier}") { classification { status } } }`;
  const response = await fetch(`${front.url}/graphql`, {
    method: 'POST',
    headers: { ...KEY_HEADERS, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  assert.match(await response.text(), /ERRORED/);
  await until('the worker is free', () => workerNamed('two')?.running === 0);
  const next = await ended(front, await submit(front, 'image', await makePicture()));
  assert.equal(next.state, 'done', next.error);
});

test('a broker that forgot everything costs a publication', { skip }, async () => {
  const identifier = await submit(front, 'video', makeClip({ seconds: 6 }));
  await broker.forgetAll();
  const analysis = await ended(front, identifier);
  assert.equal(analysis.state, 'done', analysis.error);
  assert.equal((await ended(front, await submit(front, 'image', await makePicture()))).state, 'done');
});

test('media without retention stay on the front until the plan lets them go', { skip }, async () => {
  const { app, admin } = front;
  await updatePlan(app, { principal: admin, id: 1, fields: { zero_retention: true } });
  const identifier = await submit(front, 'image', await makePicture());
  const ownNames = () =>
    front.app.remote?.workers().reduce((sum, { done, running }) => sum + done + running, 0);
  const before = ownNames();
  await delay(LEASE_MS);
  assert.equal(ownNames(), before);
  assert.notEqual(analysisOf(front, identifier).state, 'done');
  await updatePlan(app, { principal: admin, id: 1, fields: { zero_retention_on_workers: true } });
  assert.equal((await ended(front, identifier)).state, 'done');
  await updatePlan(app, { principal: admin, id: 1, fields: { zero_retention: false } });
});

test('administrators see each worker, what it does and why it gets no work', { skip }, async () => {
  const { app, admin } = front;
  const [killed, other] = listWorkers(app, { principal: admin });
  assert.deepEqual([killed?.name, killed?.here], ['one', false]);
  assert.deepEqual([other?.name, other?.here, other?.draining, other?.refusal], ['two', true, false, null]);
  assert.ok(other !== undefined && other.done > 0 && other.packs.length > 0);
  const reader = principalOf(app, (await addUser(app, admin)).id);
  assert.throws(() => listWorkers(app, { principal: reader }), /administrator/);
  assert.match(await readMetrics(app), /assay_workers\{state="here"\} 1/);
});

function helloOf(places: number): Hello {
  const packs = workerNamed('two')?.packs ?? [];
  return { version: VERSION, packs, places, clock: 0, isDraining: false };
}

test('a worker without a lease can neither claim, renew, end nor give it back', { skip }, async () => {
  const { connection, ask } = await speakAs(broker, 'liar');
  // The worker offers no slots, so that nothing waits for it.
  assert.equal((await ask('hello', helloOf(0))).refusal, null);
  const identifier = await submit(front, 'video', makeClip({ seconds: 7 }));
  await until('the worker holds it', () => workerNamed('two')?.running === 1);
  const { id, attempts, lease: held } = analysisOf(front, identifier);
  const lease = `${id}.${attempts}.${held?.startedAt}`;
  assert.deepEqual(await ask('claim', { lease }), { type: 'later' });
  assert.deepEqual(await ask('renew', { lease, progress: null }), { isHeld: false });
  const failure = { type: 'media', fault: 'corrupt', message: 'a lie' };
  assert.deepEqual(await ask('end', { lease, outcome: { type: 'failed', failure } }), { isHeld: false });
  assert.deepEqual(await ask('give-back', { lease }), { isHeld: false });
  await connection.close();
  const analysis = await ended(front, identifier);
  assert.equal(analysis.state, 'done', analysis.error);
  assert.equal(analysis.attempts, 1);
});

test('a stolen token opens one file, takes a bounded number of others, and dies with its lease', {
  skip,
}, async () => {
  const { connection, ask } = await speakAs(broker, 'liar');
  await worker.end('SIGTERM');
  await until('the other worker is gone', () => workerNamed('two')?.isHere === false);
  const { packSet } = await ask('hello', helloOf(1));
  const identifier = await submit(front, 'image', await makePicture());
  const message = await (await jetstream(connection).consumers.get(STREAM, consumerOf(packSet))).next({
    expires: 10_000,
  });
  const { lease } = await decode(leaseShape, message?.data ?? new Uint8Array());
  const { token, mediaUrl } = (await ask('claim', { lease })) as Grant;
  const call = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${mediaUrl}${path}`, { ...init, headers })).status;
  };
  const put = (name: string) => call(`/files/${name}`, { method: 'PUT', body: 'x' });
  assert.equal(await call('/original'), 200);
  const { hash } = analysisOf(front, identifier);
  for (const path of [`/original/${hash}`, `/${hash}`, '/files/a', '/files/..%2foriginal', '/'])
    assert.equal(await call(path), 403, path);
  for (const name of ['..', '.hidden', 'a%2fb', 'a'.repeat(200)]) assert.equal(await put(name), 403, name);
  const { options } = analysisOf(front, identifier);
  const filesMax = 4 * options.frames + 8;
  // A busy box takes longer than a lease to flush so many files.
  const renewing = setInterval(
    () => void ask('renew', { lease, progress: null }).catch(() => {}),
    LEASE_MS / 4,
  );
  await Promise.all(
    Array.from({ length: filesMax }, async (_, index) => assert.equal(await put(`${index}`), 204)),
  );
  clearInterval(renewing);
  assert.equal(await put('one-more'), 413);
  assert.deepEqual(await ask('give-back', { lease }), { isHeld: true });
  assert.deepEqual([await call('/original'), await put('0')], [403, 403]);
  await message?.ackAck();
  await connection.close();
  worker = await startWorker('two');
  const analysis = await ended(front, identifier);
  assert.equal(analysis.state, 'done', analysis.error);
  assert.equal(analysis.attempts, 1);
  const left = front.app.store.artifacts.pathOf(analysis.id, '0');
  assert.ok(!existsSync(left), 'what was left for a lost lease is gone');
});

test('what cannot be read costs the lease that it names; what failed is reported as it is here', {
  skip,
}, async () => {
  const hello = helloOf(1);
  await worker.end('SIGTERM');
  await until('the other worker is gone', () => workerNamed('two')?.isHere === false);
  const speaker = await speakAs(broker, 'liar');
  const { ask } = speaker;
  const welcome = await ask('hello', hello);
  const identifier = await submit(front, 'image', await makePicture());
  const take = async () => (await takeLease(speaker, welcome)).lease;
  const unreadable = { lease: await take(), progress: { step: 'none that there is', done: 0, total: 1 } };
  assert.deepEqual(await ask('renew', unreadable), { isHeld: false });
  assert.deepEqual(await ask('claim', { lease: 7 }), { type: 'later' });
  const fail = async (failure: WorkerFailure) =>
    await ask('end', { lease: await take(), outcome: { type: 'failed', failure } });
  await fail({ type: 'wait', message: 'no room here' });
  assert.ok(analysisOf(front, identifier).attempts <= 1, 'neither cost an attempt');
  await fail({ type: 'lost', message: 'its child was killed' });
  const message = 'the file ends amid its pixels';
  await fail({ type: 'media', fault: 'corrupt', message });
  const { state, error, attempts } = await ended(front, identifier);
  assert.deepEqual([state, error, attempts], ['errored', message, 2]);
  await speaker.connection.close();
});

test('a worker that lies changes nothing and gets no more work', { skip }, async () => {
  const hello = helloOf(1);
  await worker.end('SIGTERM');
  await until('the other worker is gone', () => workerNamed('two')?.isHere === false);
  const { connection: liar, ask } = await speakAs(broker, 'liar');
  const other = hello.packs.map((pack) => ({ ...pack, sha256: '0'.repeat(64) }));
  await ask('hello', { ...hello, packs: other });
  assert.match(workerNamed('liar')?.refusal ?? '', /has other bytes/);
  await ask('hello', { ...hello, version: '0.0.1' });
  assert.match(workerNamed('liar')?.refusal ?? '', /version 0\.0\.1/);
  const welcome = await ask('hello', hello);
  assert.equal(welcome.refusal, null);

  const identifier = await submit(front, 'image', await makePicture());
  const { lease, granted } = await takeLease({ connection: liar, ask }, welcome);
  assert.match(granted.mediaUrl, /^https:/);
  const headers = { authorization: `Bearer ${granted.token}` };
  const original = await fetch(`${granted.mediaUrl}/original`, { headers });
  assert.equal(original.status, 200);
  await original.arrayBuffer();
  const foreign = await fetch(`${granted.mediaUrl}/original`, {
    headers: { authorization: `Bearer ${'0'.repeat(64)}` },
  });
  assert.equal(foreign.status, 403);

  const notHeld = {
    lease: 'another.1.1',
    outcome: { type: 'failed', failure: { type: 'media', fault: 'corrupt', message: '' } },
  };
  assert.deepEqual(await ask('end', notHeld), { isHeld: false });
  const word = await encode({ from: 0, notes: [{ question: 'none', answer: 'a picture' }] });
  const answers = { method: 'POST', headers, body: Uint8Array.from(word) };
  assert.equal((await fetch(`${granted.mediaUrl}/answers`, answers)).status, 204);
  const outcome = { type: 'done', stepTimes: [] };
  assert.deepEqual(await ask('end', { lease, outcome }), { isHeld: false });
  assert.match(
    workerNamed('liar')?.refusal ?? '',
    /what cannot be: decode-image was asked and not answered; it is given work again at 20/,
  );
  const late = await fetch(`${granted.mediaUrl}/original`, { headers });
  assert.equal(late.status, 403);
  await liar.close();

  worker = await startWorker('one');
  const analysis = await ended(front, identifier);
  assert.equal(analysis.state, 'done', analysis.error);
});

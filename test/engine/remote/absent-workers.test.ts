import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { listAudit } from '../../../src/app/accounts/audit.ts';
import { updatePlan } from '../../../src/app/accounts/plans.ts';
import { readMetrics } from '../../../src/app/appliance/appliance.ts';
import { examine } from '../../../src/app/appliance/doctor/doctor.ts';
import { drainWorker, forgetWorker, listWorkers } from '../../../src/app/appliance/workers.ts';
import { getClassification } from '../../../src/app/records/classifications.ts';
import { ADMIN_PASSWORD, addUser, openServedApp, principalOf, type ServedApp } from '../../app/open-app.ts';
import { linesOf, runCommand } from '../../cli/run-command.ts';
import { TEST_KEY } from '../../daemon.ts';
import { KEY_HEADERS } from '../../faults/rounds/submissions.ts';
import { makeSpeech } from '../../interface/media.ts';
import { writeTinySpeechPack } from '../../models/tiny-speech-pack.ts';
import { type Desk, signIn, TestBrowser } from '../../page/browser.ts';
import { PATIENCE_MS } from '../../patience.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../temporary-folder.ts';
import { Broker, skipWithoutBroker, TestWorker } from './broker.ts';
import { honestHello, speakAs } from './lying-worker.ts';

const skip = skipWithoutBroker;
const ADMIN = { email: 'desk@example.org', password: ADMIN_PASSWORD };
const POLL_MS = 50;

let folder: TemporaryFolder;
let broker: Broker;
let front: ServedApp;
let worker: TestWorker;
let waiting: string;

before(async () => {
  if (skip) return;
  folder = await makeTemporaryFolder();
  await writeTinySpeechPack(join(folder.path, 'models'));
  broker = await Broker.start(join(folder.path, 'broker'), ['one', 'liar']);
  front = await openFront();
  await until('the packs are read', () => front.app.engine.phase === 'ready');
});

after(async () => {
  await worker?.[Symbol.asyncDispose]();
  await front?.[Symbol.asyncDispose]();
  await broker?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

async function openFront(): Promise<ServedApp> {
  return await openServedApp({
    ...broker.envOf('daemon'),
    ...{
      ASSAY_ADMIN_API_KEY: TEST_KEY,
      ASSAY_ADMIN_EMAIL: ADMIN.email,
      ASSAY_ADMIN_PASSWORD: ADMIN.password,
    },
    ...{ ASSAY_MODELS_FOLDERS: join(folder.path, 'models'), ASSAY_DATA_DIR: join(folder.path, 'front') },
    ...{
      ASSAY_QUEUE_RUNNING_MAX: '0',
      ASSAY_WORKERS_LISTEN: '127.0.0.1:0',
      ASSAY_WORKERS_LEASE_SECONDS: '2',
    },
  });
}

async function startWorker(): Promise<TestWorker> {
  return await TestWorker.start('one', {
    ...broker.envOf('one'),
    ...{ ASSAY_MODELS_FOLDERS: join(folder.path, 'models'), ASSAY_DATA_DIR: join(folder.path, 'one') },
    ...{ ASSAY_QUEUE_RUNNING_MAX: '1', ASSAY_INFERENCE_PROCESSES: '1', ASSAY_DECODE_SLOTS: '1' },
  });
}

let submitted = 0;

/** Each submission is another file, so that no earlier answer is used. */
async function submit(seconds?: number): Promise<string> {
  submitted += 1;
  const speech = makeSpeech(seconds === undefined ? {} : { seconds }, 0.5 - submitted / 100);
  const body = new FormData();
  body.set('audio', new Blob([Uint8Array.from(speech)]), 'voice.wav');
  const url = `${front.url}/api/classification_audio`;
  const response = await fetch(url, { method: 'POST', headers: KEY_HEADERS, body });
  const identifier = await response.text();
  assert.equal(response.status, 200, identifier);
  return identifier;
}

async function until(what: string, holds: () => boolean): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; !holds(); await delay(POLL_MS)) {
    assert.ok(Date.now() < deadline, `${what}; the worker says ${worker?.stderr.slice(-5).join('\n')}`);
  }
}

const workerNamed = (name: string) => front.app.remote?.workers().find((box) => box.name === name);
const recordOf = (identifier: string) => getClassification(front.app, { principal: front.admin, identifier });
const stepOf = (identifier: string) => recordOf(identifier).progress?.step;
const command = (...argv: string[]) =>
  runCommand({ address: front.daemon.grpc.address, key: TEST_KEY }, argv);

async function findingOf(name: string) {
  const findings = await examine(front.app, { principal: front.admin });
  return findings.find((finding) => finding.name === name);
}

test('without a worker the work waits, and everything that is asked says why', { skip }, async () => {
  waiting = await submit();
  await until('the broker is there', () => stepOf(waiting) === 'no-worker');
  assert.match(front.app.running.waitReason()?.sentence ?? '', /no worker was heard of/);
  const queue = await findingOf('queue');
  assert.equal(queue?.state, 'bad');
  assert.match(`${queue?.found} ${queue?.advice}`, /no worker was heard of.*what waits is kept/);
  assert.match(await readMetrics(front.app), /assay_queue_held\{reason="no-worker"\} 1/);
  assert.match((await command('ps')).out, /1 waiting.*\nwhat waits is not begun: no worker was heard of/);
  assert.match((await command('queue')).out, /what waits is not begun: no worker was heard of/);
  const [seen] = linesOf(await command('ps', '--json'));
  assert.equal(Object(seen?.wait_reason).step, 'no-worker');
});

test('a worker of another version, with other packs or other results gets no work, and each reason is reported', {
  skip,
}, async () => {
  await using liar = await speakAs(broker, 'liar');
  const { ask } = liar;
  const honest = honestHello(front, 1);
  const [first, ...others] = honest.packs;
  assert.ok(first?.goldenOutputs);
  const withOutputs = (goldenOutputs: unknown) => ({
    ...honest,
    packs: [{ ...first, goldenOutputs }, ...others],
  });
  const off = first.goldenOutputs.with(1, (first.goldenOutputs[1] ?? 0) + 0.5);
  const refused: [unknown, RegExp][] = [
    [{ version: '99.0.0', wordsOfThen: true }, /it is version 99\.0\.0, and the daemon/],
    [{ ...honest, version: '0.0.1' }, /it is version 0\.0\.1/],
    [{ ...honest, packs: [] }, /no packs yet/],
    [{ ...honest, packs: others }, /it lacks the pack/],
    [{ ...honest, packs: [{ ...first, sha256: '0'.repeat(64) }, ...others] }, /has other bytes/],
    [
      { ...honest, packs: [...honest.packs, { ...first, key: 'own@1.0.0' }] },
      /own@1\.0\.0, which the daemon lacks/,
    ],
    [withOutputs(null), /has not given its golden outputs/],
    [withOutputs([]), /lacks golden output 1/],
    [withOutputs(off), /differs by 0\.5\d* from golden output 2, at most/],
    [withOutputs([...first.goldenOutputs.slice(0, -1), Number.NaN]), /not what a worker says/],
    [withOutputs(Array(257).fill(0)), /not what a worker says/],
  ];
  for (const [said, sentence] of refused) {
    assert.match((await ask('hello', said)).refusal ?? '', sentence);
    assert.match(workerNamed('liar')?.refusal ?? '', sentence);
    assert.equal(stepOf(waiting), 'no-worker');
  }
  await ask('hello', withOutputs(off));
  assert.match(front.app.running.waitReason()?.sentence ?? '', /no worker takes work: liar is refused/);
  assert.match((await findingOf('worker liar'))?.found ?? '', /differs by/);
  assert.match((await command('worker', 'list')).out, /gets no work: its pack/);
  assert.match(await readMetrics(front.app), /assay_workers\{state="refused"\} 1/);
  const { refusal, isDrained } = await ask('hello', honest);
  assert.deepEqual([refusal, isDrained], [null, false]);
  assert.equal(front.app.running.waitReason(), null);
  await ask('hello', { ...honest, isDraining: true });
});

test('a worker that computes as the packs say gets the work', { skip }, async () => {
  worker = await startWorker();
  await until('it is done', () => recordOf(waiting).status === 'done');
  assert.ok(workerNamed('one')?.packs.every(({ goldenOutputs }) => (goldenOutputs?.length ?? 0) > 0));
});

test('a record whose plan keeps it here says so', { skip }, async () => {
  const { app, admin } = front;
  await updatePlan(app, { principal: admin, id: 1, fields: { zero_retention: true } });
  const kept = await submit();
  await until('it waits', () => stepOf(kept) === 'kept-here');
  await updatePlan(app, { principal: admin, id: 1, fields: { zero_retention: false } });
  await until('it is done', () => recordOf(kept).status === 'done');
});

test('a drained worker takes nothing, whichever side starts anew, until it is resumed', {
  skip,
}, async () => {
  const held = await submit(120);
  await until('the worker holds it', () => workerNamed('one')?.running === 1);
  const drained = await command('worker', 'drain', 'one');
  assert.equal(drained.code, 0, drained.err);
  assert.match(drained.out, /^one takes no more work and (finishes the 1 that it has|has none)\n$/);
  await until('what it had is done', () => recordOf(held).status === 'done');
  const identifier = await submit();
  await worker.end('SIGTERM');
  worker = await startWorker();
  await until('it was heard of', () => workerNamed('one')?.isHere === true);
  assert.equal(stepOf(identifier), 'no-worker');
  assert.match(front.app.running.waitReason()?.sentence ?? '', /one is drained/);
  assert.match((await command('worker', 'list')).out, /drained/);
  assert.match(await readMetrics(front.app), /assay_workers\{state="drained"\} 1/);
  assert.match((await findingOf('worker one'))?.advice ?? '', /assay worker resume one/);

  await front[Symbol.asyncDispose]();
  front = await openFront();
  const [again] = listWorkers(front.app, { principal: front.admin });
  assert.deepEqual([again?.name, again?.drained, again?.here], ['one', true, false]);
  await until('it was heard of again', () => workerNamed('one')?.isHere === true);
  await delay(500);
  assert.deepEqual([recordOf(identifier).status, workerNamed('one')?.done], ['new', 0]);
  const [resumed] = linesOf(await command('worker', 'resume', 'one', '--json'));
  assert.deepEqual([resumed?.name, resumed?.drained], ['one', false]);
  await until('it is done', () => recordOf(identifier).status === 'done');
});

test('on the page a worker is drained, resumed and forgotten', { skip }, async () => {
  await using browser = await TestBrowser.start();
  await using desk: Desk = await browser.open(front.url);
  const { page } = desk;
  await signIn(desk, ADMIN);
  await page.goto('/queue');
  await page.getByRole('button', { name: 'Drain: one' }).click();
  await page.getByText('drained, takes no work').waitFor();
  await page.getByText('No worker takes work').waitFor();
  await page.getByRole('button', { name: 'Resume: one' }).click();
  await page.getByRole('button', { name: 'Drain: one' }).waitFor();
  assert.equal(workerNamed('one')?.isDrained, false);
  await worker.end('SIGTERM');
  await page.getByRole('button', { name: 'Forget: one' }).click();
  await until('it is forgotten', () => workerNamed('one') === undefined);
  assert.deepEqual(desk.faults, []);
});

test('only administrators act on known workers, and each action is logged', { skip }, async () => {
  worker = await startWorker();
  const { app, admin } = front;
  await until('it was heard of', () => workerNamed('one')?.isHere === true);
  const here = await command('worker', 'forget', 'one');
  assert.notEqual(here.code, 0);
  assert.match(here.err, /the worker one is here: stop it/);
  assert.match((await command('worker', 'drain', 'nobody')).err, /no worker nobody was heard of/);
  const reader = principalOf(app, (await addUser(app, admin)).id);
  await assert.rejects(drainWorker(app, { principal: reader, name: 'one' }), /administrator/);
  await assert.rejects(forgetWorker(app, { principal: reader, name: 'one' }), /administrator/);
  const lines = listAudit(app, { principal: admin, limit: 100 }).filter(({ target }) => target === 'one');
  const actions = lines.map(({ action }) => action).reverse();
  const twice = ['worker.drain', 'worker.resume', 'worker.drain', 'worker.resume', 'worker.forget'];
  assert.deepEqual(actions, twice);
});

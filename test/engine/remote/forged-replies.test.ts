/** What one worker's key can do to another worker: nothing. A real nats-server, the daemon, and two programs that each know one key. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import {
  askSubject,
  cancelSubject,
  consumerOf,
  encode,
  inboxOf,
  STREAM,
  VERBS,
} from '../../../src/engine/remote/messages.ts';
import { openServedApp, type ServedApp } from '../../app/open-app.ts';
import { TEST_KEY } from '../../daemon.ts';
import { KEY_HEADERS } from '../../faults/rounds/submissions.ts';
import { makeSpeech } from '../../interface/media.ts';
import { writeTinySpeechPack } from '../../models/tiny-speech-pack.ts';
import { PATIENCE_MS } from '../../patience.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../temporary-folder.ts';
import { Broker, skipWithoutBroker } from './broker.ts';
import { honestHello, speakAs } from './lying-worker.ts';

const skip = skipWithoutBroker;
/** By then the daemon and the broker have answered everything. */
const SETTLE_MS = 500;

let folder: TemporaryFolder;
let broker: Broker;
let front: ServedApp;
let honest: Speaker;
let attacker: Speaker;

before(async () => {
  if (skip) return;
  folder = await makeTemporaryFolder();
  await writeTinySpeechPack(join(folder.path, 'models'));
  broker = await Broker.start(join(folder.path, 'broker'), ['honest', 'attacker']);
  front = await openServedApp({
    ...broker.envOf('daemon'),
    ...{ ASSAY_ADMIN_API_KEY: TEST_KEY, ASSAY_DATA_DIR: join(folder.path, 'front') },
    ...{ ASSAY_MODELS_FOLDERS: join(folder.path, 'models'), ASSAY_QUEUE_RUNNING_MAX: '0' },
    ...{ ASSAY_WORKERS_LISTEN: '127.0.0.1:0', ASSAY_WORKERS_LEASE_SECONDS: '2' },
  });
  await until('the broker is reached', () => front.app.running.waitReason()?.step === 'no-worker');
  honest = await speakAs(broker, 'honest');
  attacker = await speakAs(broker, 'attacker');
});

after(async () => {
  await honest?.connection.close();
  await attacker?.connection.close();
  await front?.[Symbol.asyncDispose]();
  await broker?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

type Speaker = Awaited<ReturnType<typeof speakAs>>;

async function until(what: string, holds: () => boolean): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; !holds(); await delay(50)) {
    assert.ok(Date.now() < deadline, what);
  }
}

const refusalOf = (name: string) => front.app.remote?.workers().find((box) => box.name === name)?.refusal;

async function assertHonestIsIn(): Promise<void> {
  await delay(SETTLE_MS);
  assert.equal(refusalOf('honest'), null);
  assert.equal((await honest.ask('hello', honestHello(front, 0))).refusal, null);
}

async function submitSpeech(): Promise<void> {
  const body = new FormData();
  body.set('audio', new Blob([Uint8Array.from(makeSpeech())]), 'voice.wav');
  const url = `${front.url}/api/classification_audio`;
  const response = await fetch(url, { method: 'POST', headers: KEY_HEADERS, body });
  assert.equal(response.status, 200, await response.text());
}

test('a reply subject that is another worker’s question makes the daemon say nothing in its name', {
  skip,
}, async () => {
  assert.equal((await honest.ask('hello', honestHello(front, 0))).refusal, null);
  assert.equal((await attacker.ask('hello', honestHello(front, 0))).refusal, null);
  for (const asked of VERBS) {
    for (const forged of VERBS) {
      const said = await encode(asked === 'hello' ? honestHello(front, 0) : { lease: 'none.1.1' });
      attacker.connection.publish(askSubject('attacker', asked), said, {
        reply: askSubject('honest', forged),
      });
    }
  }
  await assertHonestIsIn();
});

test('the broker’s own answers are no word of the worker to whose subject they are sent', {
  skip,
}, async () => {
  const { packSet } = await honest.ask('hello', honestHello(front, 0));
  await submitSpeech();
  const consumer = consumerOf(packSet);
  const requests = [
    `$JS.API.CONSUMER.MSG.NEXT.${STREAM}.${consumer}`,
    `$JS.API.CONSUMER.INFO.${STREAM}.${consumer}`,
  ];
  for (const subject of requests) {
    for (const forged of VERBS) {
      const said = JSON.stringify({ batch: 1, expires: 1e9 });
      attacker.connection.publish(subject, said, { reply: askSubject('honest', forged) });
    }
  }
  const ack = `$JS.ACK.${STREAM}.${consumer}.1.1.1.1.0`;
  for (const forged of VERBS)
    attacker.connection.publish(ack, '-NAK', { reply: askSubject('honest', forged) });
  await assertHonestIsIn();
});

test('only the worker’s own inbox is answered, neither another’s nor one that anybody hears', {
  skip,
}, async () => {
  const heard: string[] = [];
  const subjects = [`${inboxOf('honest')}.forged.1`, '_INBOX.forged.1', cancelSubject('honest')];
  for (const subject of [`${inboxOf('honest')}.forged.*`, cancelSubject('honest')]) {
    honest.connection.subscribe(subject, { callback: (_, message) => void heard.push(message.subject) });
  }
  await honest.connection.flush();
  for (const reply of subjects) {
    attacker.connection.publish(askSubject('attacker', 'hello'), await encode(honestHello(front, 0)), {
      reply,
    });
  }
  await assertHonestIsIn();
  assert.deepEqual(heard, []);
});

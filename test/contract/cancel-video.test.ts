import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from '../cli/run-command.ts';
import { TEST_KEY, TestDaemon } from '../daemon.ts';
import { childrenOf, isAlive } from '../faults/rounds/processes.ts';
import { writeLongVideo } from '../media/long-video.ts';

const KEY = { 'x-api-key': TEST_KEY };
const POLL_MS = 20;
/** Time for a signal and a new child; the work itself would have taken a minute. */
const KILL_MS_MAX = 3000;
const VIDEO = { seconds: 600, width: 480, height: 360 };

let daemon: TestDaemon;
let folder: string;
let video: Buffer;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'assay-cancel-'));
  const path = join(folder, 'long.mp4');
  writeLongVideo(path, VIDEO);
  video = readFileSync(path);
  daemon = await TestDaemon.start();
});

after(async () => {
  await daemon[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function ask<T>(query: string): Promise<T> {
  const response = await fetch(`${daemon.http}/graphql`, {
    ...{ method: 'POST', headers: { ...KEY, 'content-type': 'application/json' } },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = (await response.json()) as { data: T; errors?: unknown };
  assert.equal(errors, undefined);
  return data;
}

async function submit(fields: Record<string, string>): Promise<string> {
  const form = new FormData();
  form.set('video', new Blob([new Uint8Array(video)]), 'long.mp4');
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const url = `${daemon.http}/api/classification_video`;
  const response = await fetch(url, { method: 'POST', headers: KEY, body: form });
  const identifier = await response.text();
  assert.equal(response.status, 200, identifier);
  return identifier;
}

interface Running {
  status: string;
  progress: { step: string; done: number } | null;
}

async function awaitStep(identifier: string, step: string): Promise<void> {
  for (;;) {
    const query = `{ classification(identifier: "${identifier}") { status progress { step done } } }`;
    const { classification } = await ask<{ classification: Running }>(query);
    assert.equal(classification.status, 'NEW', `the work ended before the step ${step}`);
    if (classification.progress?.step === step) return;
    await sleep(POLL_MS);
  }
}

/** `assay ps` says what runs, for whom and how far it is. */
async function assertListed(identifier: string, step: string): Promise<void> {
  const { out } = await runCommand({ address: daemon.grpc, key: TEST_KEY }, ['ps']);
  assert.match(out, new RegExp(`│ ${identifier} +│ video +│ 1 +│ ${step}( \\d+/\\d+)? +│ \\d+ s +│ 1 +│`));
}

async function cancel(identifier: string): Promise<void> {
  const change = `cancelClassification(identifier: "${identifier}") { classification { status } }`;
  const { cancelClassification } = await ask<{
    cancelClassification: { classification: { status: string } };
  }>(`mutation { ${change} }`);
  assert.equal(cancelClassification.classification.status, 'ERRORED');
}

for (const [step, fields] of [
  ['frame-choice', { key_frames: 'true', key_frames_method: 'flow', frames: '30' }],
  ['frames', { frames: '30', no_cache: 'true' }],
] as const) {
  test(`cancelling a video in its step ${step} ends its decoder at once`, async () => {
    const daemonPid = daemon.process.pid ?? assert.fail();
    const idle = childrenOf(daemonPid);
    const identifier = await submit(fields);
    await awaitStep(identifier, step);
    await assertListed(identifier, step);
    const busy = childrenOf(daemonPid).decode;
    await cancel(identifier);
    const startedAt = performance.now();
    while (busy.every(isAlive)) {
      assert.ok(performance.now() - startedAt < KILL_MS_MAX, 'the decoder of a cancelled video runs on');
      await sleep(POLL_MS);
    }
    assert.equal(busy.filter(isAlive).length, busy.length - 1, 'one decoder is ended, not its neighbours');
    assert.deepEqual(childrenOf(daemonPid).inference, idle.inference, 'the models stay');
  });
}

import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { openAsBlob } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Store } from '../../src/store/store.ts';
import { TestDaemon } from '../daemon.ts';
import { writeLongVideo } from '../media/long-video.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { assertBooks, jobInputs, uploadFiles } from './rounds/data-folder.ts';
import { childrenOf, isAlive } from './rounds/processes.ts';
import {
  awaitEnds,
  distinctPicture,
  KEY_HEADERS,
  pidOf,
  submitPicture,
  until,
} from './rounds/submissions.ts';

const PICTURES = 10;
const VIDEOS = '/api/classification_video';
/** Ten seconds of grace, and what closing takes on a busy box. */
const STOP_MS_MAX = 22_000;
const BEGUN_MS_MAX = 100_000;

test('SIGTERM amid work: exit code 0, and every accepted picture ends', async () => {
  await using folder = await makeTemporaryFolder();
  const pictures = await Promise.all(Array.from({ length: PICTURES }, (_, seed) => distinctPicture(seed)));
  await using stopped = await TestDaemon.start({ models: 'tiny', folder: folder.path });
  const identifiers = await Promise.all(pictures.map((bytes) => submitPicture(stopped, bytes)));
  const { decode, inference } = childrenOf(pidOf(stopped));
  equal(await stopped.kill('SIGTERM'), 0, stopped.stderr.join('\n'));
  deepEqual([...decode, ...inference].filter(isAlive), []);
  deepEqual(uploadFiles(folder.path), []);
  deepEqual(jobInputs(folder.path), []);
  {
    await using daemon = await TestDaemon.start({ models: 'tiny', folder: folder.path });
    deepEqual(await awaitEnds(daemon, identifiers), Array(PICTURES).fill('done'));
  }
  await assertBooks(folder.path, identifiers, 0);
});

test('a long video is given back to the queue after a grace, uncounted', async () => {
  await using folder = await makeTemporaryFolder();
  const path = join(folder.path, 'long.mp4');
  writeLongVideo(path, { seconds: 60, width: 426, height: 240 });
  const data = join(folder.path, 'data');
  await using stopped = await TestDaemon.start({ models: 'tiny', folder: data });
  // Its frames wait for the models longer than any grace.
  for (const pid of childrenOf(pidOf(stopped)).inference) process.kill(pid, 'SIGSTOP');
  await submitLongVideo(stopped, path);
  await until(() => jobInputs(data).length > 0, 'the video to be begun', BEGUN_MS_MAX);
  const stoppedAt = performance.now();
  equal(await stopped.kill('SIGTERM'), 0, stopped.stderr.join('\n'));
  const tookMs = performance.now() - stoppedAt;
  ok(tookMs < STOP_MS_MAX, `it took ${tookMs} ms`);
  deepEqual(jobInputs(data), []);
  await using store = await Store.open({ folder: data });
  const [open] = store.read.openAnalyses();
  const { state, attempts, lease } = open ?? {};
  deepEqual({ state, attempts, lease }, { state: 'queued', attempts: 0, lease: null });
});

async function submitLongVideo({ http }: TestDaemon, path: string): Promise<void> {
  const form = new FormData();
  form.set('video', await openAsBlob(path), 'long.mp4');
  form.set('frames', '30');
  const response = await fetch(`${http}${VIDEOS}`, { method: 'POST', headers: KEY_HEADERS, body: form });
  equal(response.status, 200, await response.text());
}

test('a second daemon on a folder in use is refused, and a SIGTERM to every process of the first stops it', async () => {
  await using daemon = await TestDaemon.start({ models: 'tiny' });
  await rejects(TestDaemon.start({ folder: daemon.folder, awaitReady: false }), (error: Error) => {
    match(error.message, new RegExp(`in use by process ${pidOf(daemon)}; stop it first`));
    return true;
  });
  equal((await fetch(`${daemon.http}/readyz`)).status, 200);
  const identifier = await submitPicture(daemon, await distinctPicture(1));
  deepEqual(await awaitEnds(daemon, [identifier]), ['done']);
  await submitPicture(daemon, await distinctPicture(2));
  const { decode, inference } = childrenOf(pidOf(daemon));
  for (const pid of [...decode, ...inference]) process.kill(pid, 'SIGTERM');
  equal(await daemon.kill('SIGTERM'), 0, daemon.stderr.join('\n'));
  deepEqual(
    daemon.stderr.filter((line) => JSON.parse(line).level >= 50),
    [],
    'a clean stop logs no error',
  );
  deepEqual([...decode, ...inference].filter(isAlive), []);
});

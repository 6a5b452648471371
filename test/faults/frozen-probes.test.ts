/** Children that stand still: fresh ones answer the same request; if those stand still too, the client soon gets a refusal with a time to come back. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TestDaemon } from '../daemon.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { childrenOf, isAlive } from './rounds/processes.ts';
import {
  awaitEnds,
  distinctPicture,
  KEY_HEADERS,
  metricOf,
  pidOf,
  postPicture,
  submitPicture,
  until,
} from './rounds/submissions.ts';

/** A child on a busy box reads a picture of 40,000 pixels within this time. */
const PROBE_TIMEOUT_MS = 4000;
/** What stands still is found in ten seconds; the probe's own deadline would be twice that. */
const ANSWER_MS_MAX = 30_000;
/** With decoder and models found, replaced and the models loaded anew, on a busy box. */
const END_MS_MAX = 90_000;
/** Twice the probe's time, and the longest wait for a child to be ready. */
const REFUSAL_MS_MAX = 45_000;
const LOOK_MS = 5;

async function startDaemon(
  folder: string,
  probeTimeoutMs: number,
): Promise<{ daemon: TestDaemon; decode: number[]; first: string[] }> {
  const env = { ASSAY_PROBE_TIMEOUT_MS: String(probeTimeoutMs) };
  const daemon = await TestDaemon.start({ models: 'tiny', folder, env });
  const first = await Promise.all(
    [1, 2, 3].map(async (seed) => submitPicture(daemon, await distinctPicture(seed))),
  );
  await awaitEnds(daemon, first);
  const { decode } = childrenOf(pidOf(daemon));
  ok(decode.length > 0);
  return { daemon, decode, first };
}

test('if all children are stopped, fresh ones answer the request and end the analysis', async () => {
  await using folder = await makeTemporaryFolder();
  const { daemon, decode, first } = await startDaemon(folder.path, END_MS_MAX);
  await using _ = daemon;
  const stopped = [...decode, ...childrenOf(pidOf(daemon)).inference];
  for (const pid of stopped) process.kill(pid, 'SIGSTOP');

  const startedAt = performance.now();
  const identifier = await submitPicture(daemon, await distinctPicture(4));
  const answeredMs = performance.now() - startedAt;
  ok(answeredMs < ANSWER_MS_MAX, `answered after ${answeredMs} ms`);
  // The look met one; an earlier picture, whose keypoints are looked for meanwhile, may have met another.
  const deaths = await metricOf(daemon, 'assay_worker_deaths_total{worker="decode"}');
  ok(deaths >= 1 && deaths <= decode.length, `${deaths} of ${decode.length} ended`);
  deepEqual(await awaitEnds(daemon, [identifier]), ['done']);
  const endedMs = performance.now() - startedAt;
  ok(endedMs < END_MS_MAX, `ended after ${endedMs} ms`);
  await until(() => !stopped.some(isAlive), 'the stopped children to be replaced');
  const list = await fetch(`${daemon.http}/api/classifications`, { headers: KEY_HEADERS });
  equal(((await list.json()) as unknown[]).length, first.length + 1);
});

/** Stops every decode child as soon as it is seen, also those that are started meanwhile; until it is disposed, which lets all go on. */
function stopEach(daemon: TestDaemon): Disposable {
  const stopped = new Set<number>();
  const stop = (): void => {
    for (const pid of childrenOf(pidOf(daemon)).decode) {
      signal(pid, 'SIGSTOP');
      stopped.add(pid);
    }
  };
  stop();
  const timer = setInterval(stop, LOOK_MS);
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      // An analysis would wait for a child that stands still until its own deadline, minutes later.
      for (const pid of stopped) signal(pid, 'SIGCONT');
    },
  };
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended since.
  }
}

test('if fresh decode children stop too, the upload is soon refused and leaves nothing', async () => {
  await using folder = await makeTemporaryFolder();
  const { daemon, first } = await startDaemon(folder.path, PROBE_TIMEOUT_MS);
  await using _ = daemon;
  {
    using _stopping = stopEach(daemon);
    const startedAt = performance.now();
    const response = await postPicture(daemon, await distinctPicture(4));
    const answeredMs = performance.now() - startedAt;
    equal(response.status, 503, await response.clone().text());
    ok(Number(response.headers.get('retry-after')) > 0);
    match(await response.text(), /not looked at in time by two decoders; try again/);
    ok(answeredMs < REFUSAL_MS_MAX, `answered after ${answeredMs} ms`);
  }
  deepEqual(readdirSync(join(folder.path, 'uploads')), []);
  const list = await fetch(`${daemon.http}/api/classifications`, { headers: KEY_HEADERS });
  equal(((await list.json()) as unknown[]).length, first.length);
  deepEqual(await awaitEnds(daemon, [await submitPicture(daemon, await distinctPicture(5))]), ['done']);
});

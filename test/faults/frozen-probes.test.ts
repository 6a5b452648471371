/** Decode children that stand still: who submits is told soon to come back, and nothing is left of the try. */
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

const PROBE_TIMEOUT_MS = 2000;
/** Without its own deadline a probe has a minute. */
const ANSWER_MS_MAX = 20_000;

test('all decode children stopped', { timeout: 180_000 }, async () => {
  await using folder = await makeTemporaryFolder();
  const env = { ASSAY_PROBE_TIMEOUT_MS: String(PROBE_TIMEOUT_MS) };
  await using daemon = await TestDaemon.start({ folder: folder.path, env });
  const first = await Promise.all(
    [1, 2, 3].map(async (seed) => submitPicture(daemon, await distinctPicture(seed))),
  );
  await awaitEnds(daemon, first);
  const { decode } = childrenOf(pidOf(daemon));
  ok(decode.length > 0);
  for (const pid of decode) process.kill(pid, 'SIGSTOP');

  const startedAt = performance.now();
  const response = await postPicture(daemon, await distinctPicture(4));
  const answeredMs = performance.now() - startedAt;
  equal(response.status, 503, await response.clone().text());
  ok(Number(response.headers.get('retry-after')) > 0);
  match(await response.text(), /not looked at in time, and the decoder was replaced; try again/);
  ok(answeredMs < ANSWER_MS_MAX, `answered after ${answeredMs} ms`);
  deepEqual(readdirSync(join(folder.path, 'uploads')), []);
  const list = await fetch(`${daemon.http}/api/classifications`, { headers: KEY_HEADERS });
  equal(((await list.json()) as unknown[]).length, first.length);
  equal(await metricOf(daemon, 'assay_worker_deaths_total{worker="decode"}'), 1);
  await until(() => !decode.some(isAlive), 'the stopped children to be replaced');

  deepEqual(await awaitEnds(daemon, [await submitPicture(daemon, await distinctPicture(5))]), ['done']);
});

import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TestDaemon } from '../daemon.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { childrenOf } from './rounds/processes.ts';
import {
  awaitEnds,
  distinctPicture,
  KEY_HEADERS,
  metricOf,
  pidOf,
  submitPicture,
} from './rounds/submissions.ts';

const METRIC = 'assay_changed_originals_total';

function pathOf(folder: string, bytes: Buffer): string {
  const hash = createHash('sha256').update(bytes).digest('hex');
  return join(folder, 'blobs', hash.slice(0, 2), hash);
}

/** Changes one bit of a picture that fills several pieces of a download. */
function change(path: string): void {
  const bytes = readFileSync(path);
  bytes[bytes.length - 100] = (bytes.at(-100) ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

async function judgeAgain({ http }: TestDaemon, bytes: Buffer): Promise<string> {
  const body = new FormData();
  body.set('no_cache', 'true');
  body.set('image', new Blob([new Uint8Array(bytes)]), 'picture.jpg');
  const response = await fetch(`${http}/api/classification`, { method: 'POST', headers: KEY_HEADERS, body });
  return await response.text();
}

test('a changed original breaks off its download, and is refused until it is submitted again', async () => {
  await using folder = await makeTemporaryFolder();
  const picture = await distinctPicture(1, 1600);
  ok(picture.length > 600_000, `${picture.length} bytes are too few for several pieces`);
  await using daemon = await TestDaemon.start({ models: 'tiny', folder: folder.path });
  const identifier = await submitPicture(daemon, picture);
  await awaitEnds(daemon, [identifier]);
  const url = `${daemon.http}/media/${identifier}/original`;
  const whole = await fetch(url, { headers: KEY_HEADERS });
  deepEqual(Buffer.from(await whole.arrayBuffer()), picture);
  const part = await fetch(url, { headers: { ...KEY_HEADERS, range: 'bytes=10-19' } });
  equal(part.status, 206);
  deepEqual(Buffer.from(await part.arrayBuffer()), picture.subarray(10, 20));

  change(pathOf(folder.path, picture));
  const broken = await fetch(url, { headers: KEY_HEADERS })
    .then(
      async (response) => await response.arrayBuffer(),
      (error: unknown) => error,
    )
    .catch((error: unknown) => error);
  ok(broken instanceof Error, 'the download breaks off before its end');
  equal(await metricOf(daemon, METRIC), 1);
  for (const range of [undefined, 'bytes=10-19']) {
    const refused = await fetch(url, {
      headers: { ...KEY_HEADERS, ...(range === undefined ? {} : { range }) },
    });
    equal(refused.status, 500);
    match(await refused.text(), /no longer the one that was submitted; submit it again/);
  }
  equal(await metricOf(daemon, METRIC), 1);

  // The file that is sent again takes its place and is judged.
  deepEqual(await awaitEnds(daemon, [await judgeAgain(daemon, picture)]), ['done']);
  deepEqual(Buffer.from(await (await fetch(url, { headers: KEY_HEADERS })).arrayBuffer()), picture);
});

test('an original that changes while its analysis waits ends as errored', async () => {
  await using folder = await makeTemporaryFolder();
  const picture = await distinctPicture(2);
  let identifier: string;
  {
    await using daemon = await TestDaemon.start({ models: 'tiny', folder: folder.path });
    const { inference } = childrenOf(pidOf(daemon));
    for (const pid of inference) process.kill(pid, 'SIGSTOP');
    identifier = await submitPicture(daemon, picture);
    await daemon.kill('SIGKILL');
    for (const pid of inference) process.kill(pid, 'SIGKILL');
  }
  change(pathOf(folder.path, picture));
  await using daemon = await TestDaemon.start({ models: 'tiny', folder: folder.path });
  deepEqual(await awaitEnds(daemon, [identifier]), ['errored']);
  const response = await fetch(`${daemon.http}/api/classification/${identifier}`, { headers: KEY_HEADERS });
  match(((await response.json()) as { errors: string }).errors, /no longer the one that was submitted/);
  equal(await metricOf(daemon, METRIC), 1);
});

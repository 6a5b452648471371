/** SIGTERM ends the daemon in order; a second daemon never gets hold of a folder in use. */
import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { TestDaemon } from '../daemon.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { assertBooks, jobInputs, uploadFiles } from './data-folder.ts';
import { childrenOf, isAlive } from './processes.ts';
import { awaitEnds, distinctPicture, pidOf, submitPicture } from './submissions.ts';

const PICTURES = 10;

test('SIGTERM amid work: exit code 0, and every accepted picture ends', { timeout: 120_000 }, async () => {
  await using folder = await makeTemporaryFolder();
  const pictures = await Promise.all(Array.from({ length: PICTURES }, (_, seed) => distinctPicture(seed)));
  await using stopped = await TestDaemon.start({ folder: folder.path });
  const identifiers = await Promise.all(pictures.map((bytes) => submitPicture(stopped, bytes)));
  const { decode, inference } = childrenOf(pidOf(stopped));
  equal(await stopped.kill('SIGTERM'), 0, stopped.stderr.join('\n'));
  deepEqual([...decode, ...inference].filter(isAlive), []);
  deepEqual(uploadFiles(folder.path), []);
  deepEqual(jobInputs(folder.path), []);
  {
    await using daemon = await TestDaemon.start({ folder: folder.path });
    deepEqual(await awaitEnds(daemon, identifiers), Array(PICTURES).fill('done'));
  }
  await assertBooks(folder.path, identifiers, 0);
});

test('a second daemon on a folder in use is refused and told by whom', { timeout: 60_000 }, async () => {
  await using daemon = await TestDaemon.start();
  await rejects(TestDaemon.start({ folder: daemon.folder, awaitReady: false }), (error: Error) => {
    match(error.message, new RegExp(`in use by process ${pidOf(daemon)}; stop it first`));
    return true;
  });
  equal((await fetch(`${daemon.http}/readyz`)).status, 200);
  const identifier = await submitPicture(daemon, await distinctPicture(1));
  deepEqual(await awaitEnds(daemon, [identifier]), ['done']);
});

test('a SIGTERM to every process of the daemon stops it in order too', { timeout: 60_000 }, async () => {
  await using daemon = await TestDaemon.start();
  const identifier = await submitPicture(daemon, await distinctPicture(1));
  const { decode, inference } = childrenOf(pidOf(daemon));
  for (const pid of [...decode, ...inference]) process.kill(pid, 'SIGTERM');
  equal(await daemon.kill('SIGTERM'), 0, daemon.stderr.join('\n'));
  deepEqual(
    daemon.stderr.filter((line) => JSON.parse(line).level >= 50),
    [],
    'a clean stop logs no error',
  );
  deepEqual([...decode, ...inference].filter(isAlive), []);
  equal(identifier.length, 64);
});

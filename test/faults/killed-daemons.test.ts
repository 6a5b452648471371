import { deepEqual, equal, match } from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { TestDaemon } from '../daemon.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { jobInputs } from './rounds/data-folder.ts';
import { playRounds } from './rounds/killed-rounds.ts';
import { awaitEnds, distinctPicture, KEY_HEADERS, submitPicture } from './rounds/submissions.ts';

/** One more than deaths that put a file aside; `test/heavy/killed-daemons.ts` plays twenty. */
const ROUNDS = 4;
const LOOK_MS = 5;
/** It lies in its slot for many looks. */
const DEADLY_SIDE = 1500;

test('rounds of kill -9 leave no good file errored', async () => {
  await using folder = await makeTemporaryFolder();
  const ends = await playRounds(folder.path, ROUNDS);
  deepEqual(
    ends,
    ends.map(() => 'done'),
  );
});

/** What a file does that takes the daemon down with it: dies whenever the file lies in a slot for analysis. */
async function dieOf(daemon: TestDaemon, inode: number): Promise<void> {
  while (daemon.process.signalCode === null) {
    const isRead = jobInputs(daemon.folder).some(
      (path) => statSync(join(daemon.folder, path), { throwIfNoEntry: false })?.ino === inode,
    );
    if (isRead) await daemon.kill('SIGKILL');
    await delay(LOOK_MS);
  }
}

function inodeOfOnlyBlob(folder: string): number {
  const [prefix = ''] = readdirSync(join(folder, 'blobs'));
  const [name = ''] = readdirSync(join(folder, 'blobs', prefix));
  return statSync(join(folder, 'blobs', prefix, name)).ino;
}

test('a file that kills its daemon is put aside after three deaths alone', async () => {
  await using folder = await makeTemporaryFolder();
  let deadly = '';
  let inode = 0;
  for (let death = 0; death < 3; death++) {
    await using daemon = await TestDaemon.start({ models: 'tiny', folder: folder.path });
    if (deadly === '') {
      deadly = await submitPicture(daemon, await distinctPicture(1, DEADLY_SIDE));
      inode = inodeOfOnlyBlob(folder.path);
    }
    await dieOf(daemon, inode);
  }
  await using daemon = await TestDaemon.start({ models: 'tiny', folder: folder.path });
  deepEqual(await awaitEnds(daemon, [deadly]), ['errored']);
  const response = await fetch(`${daemon.http}/api/classification/${deadly}`, { headers: KEY_HEADERS });
  match(((await response.json()) as { errors: string }).errors, /put aside: the appliance ended 3 times/);
  const good = await submitPicture(daemon, await distinctPicture(2));
  equal((await awaitEnds(daemon, [good]))[0], 'done');
});

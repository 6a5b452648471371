/** The data folder on a box whose umask hides nothing: other users of the box read none of it. */
import assert from 'node:assert/strict';
import { chmodSync, lstatSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { after, before, test } from 'node:test';
import { reach, runCommand } from '../command-line.ts';
import { TestDaemon } from '../daemon.ts';
import { awaitEnds, distinctPicture, submitPicture } from '../faults/rounds/submissions.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const OTHERS = 0o077;
let umask = 0;
before(() => {
  umask = process.umask(0);
});
after(() => {
  process.umask(umask);
});

/** What others may read, write or enter, with its mode. A file that the daemon removes meanwhile is open to no one. */
function openTo(folder: string): string[] {
  const below = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = [folder, ...below.map(({ parentPath, name }) => join(parentPath, name))];
  return paths.flatMap((path) => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined || found.isSymbolicLink() || (found.mode & OTHERS) === 0) return [];
    return [`${relative(folder, path)} ${(found.mode & 0o777).toString(8)}`];
  });
}

test('a new data folder is made so that only its owner reads it', async () => {
  await using folder = await makeTemporaryFolder();
  const data = join(folder.path, 'data');
  await using daemon = await TestDaemon.start({ models: 'tiny', folder: data, awaitReady: false });
  assert.deepEqual(openTo(data), []);
  assert.ok(readdirSync(data).includes('admin.key'));
  assert.deepEqual(daemon.stderr, []);
});

test('an older folder is closed to others at the start, which says so', async () => {
  await using folder = await makeTemporaryFolder();
  const data = join(folder.path, 'data');
  const elsewhere = join(folder.path, 'elsewhere');
  for (const path of [join(data, 'blobs', 'ab'), elsewhere]) mkdirSync(path, { recursive: true });
  symlinkSync(elsewhere, join(data, 'before-upgrade'));
  {
    const backup = join(folder.path, 'backups');
    await using daemon = await TestDaemon.start({
      models: 'tiny',
      folder: data,
      env: { ASSAY_BACKUP_DIR: backup },
    });
    const said = daemon.stderr.join('\n');
    assert.match(
      said,
      /other users of this box could enter the data folder \S+ \(mode 777\); it is its owner’s alone now, with \d+ files and folders in it/,
    );
    assert.match(
      said,
      /before-upgrade is a link, and other users of this box can read what it leads to \(mode 777\): close it with chmod/,
    );
    const picture = await distinctPicture(1);
    await awaitEnds(daemon, [await submitPicture(daemon, picture)]);
    const evidence = [
      'evidence',
      'export',
      await submitPicture(daemon, picture),
      '--output',
      join(folder.path, 'case.zip'),
    ];
    for (const command of [['backup'], evidence]) {
      const { code, stderr } = await runCommand(command, reach(daemon));
      assert.equal(code, 0, stderr);
    }
    assert.deepEqual(openTo(data), []);
    assert.deepEqual(openTo(backup), []);
  }
  await using again = await TestDaemon.start({ models: 'tiny', folder: data });
  assert.doesNotMatch(again.stderr.join('\n'), /other users of this box could/);
  chmodSync(join(data, 'records', 'data.mdb'), 0o644);
  assert.equal(await again.kill('SIGTERM'), 0);
  await using third = await TestDaemon.start({ models: 'tiny', folder: data });
  assert.match(
    third.stderr.join('\n'),
    /other users of this box could read 1 files and folders in the data folder/,
  );
  assert.deepEqual(openTo(data), []);
});

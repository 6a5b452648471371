/** A disk that is really full, and one that takes nothing at all: refused in words, read from, recovered by itself. */
import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { codeOf } from '../../src/domain/error-code.ts';
import { TestDaemon } from '../daemon.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { jobInputs, uploadFiles } from './rounds/data-folder.ts';
import {
  awaitEnds,
  distinctPicture,
  KEY_HEADERS,
  postPicture,
  statusOf,
  submitPicture,
  until,
} from './rounds/submissions.ts';

const DISK_MIB = 96;

/** A file system of its own, or null where this machine lets no one mount one; then the test says so and ends. */
function mountDisk(context: TestContext, folder: string): (AsyncDisposable & { path: string }) | null {
  const path = join(folder, 'disk');
  mkdirSync(path);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'tmpfs', path], { stdio: 'pipe' });
  } catch {
    context.diagnostic('nothing can be mounted here: uploads.test.ts holds the free-space guard instead');
    return null;
  }
  const unmount = async () => void execFileSync('umount', ['--lazy', path]);
  return { path, [Symbol.asyncDispose]: unmount };
}

/** Leaves so many bytes free. The daemon may write meanwhile: then the measuring is done again. */
function fill(disk: string, leftBytes: number): string {
  const path = join(disk, 'fill');
  for (;;) {
    const { bavail, bsize } = statfsSync(disk);
    try {
      writeFileSync(path, Buffer.alloc(Math.max(0, bavail * bsize - leftBytes)));
      return path;
    } catch (error) {
      if (codeOf(error) !== 'ENOSPC') throw error;
      rmSync(path);
    }
  }
}

for (const { name, leftBytes } of [
  { name: 'not one byte left', leftBytes: 0 },
  { name: 'room for an upload, none for its record', leftBytes: 40_960 },
]) {
  test(`a full disk, ${name}: refused, read from, recovered`, async (context) => {
    await using folder = await makeTemporaryFolder();
    await using disk = mountDisk(context, folder.path);
    if (disk === null) return;
    const data = join(disk.path, 'data');
    const env = { ASSAY_DISK_FREE_MIN: '0' };
    await using daemon = await TestDaemon.start({ models: 'tiny', folder: data, env });
    const identifier = await submitPicture(daemon, await distinctPicture(1));
    deepEqual(await awaitEnds(daemon, [identifier]), ['done']);
    const filled = fill(disk.path, leftBytes);
    const answers: number[] = [];
    for (let seed = 2; seed < 14; seed++) {
      const response = await postPicture(daemon, await distinctPicture(seed, 320));
      answers.push(response.status);
      const text = await response.text();
      if (response.status === 200) continue;
      equal(response.status, 503, text);
      match(text, /the disk (is full|takes no more)/);
      match(response.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    }
    equal(answers.at(-1), 503, `${answers}`);
    equal(await statusOf(daemon, identifier), 'done');
    equal((await fetch(`${daemon.http}/api/classifications`, { headers: KEY_HEADERS })).status, 200);
    deepEqual(uploadFiles(data), []);
    rmSync(filled);
    const later = await submitPicture(daemon, await distinctPicture(99));
    deepEqual(await awaitEnds(daemon, [later]), ['done']);
    await until(() => jobInputs(data).length === 0, 'the slots to be emptied');
  });
}

test('a data folder on a read-only disk is refused at the start, in words', async (context) => {
  await using folder = await makeTemporaryFolder();
  await using disk = mountDisk(context, folder.path);
  if (disk === null) return;
  const data = join(disk.path, 'data');
  await (await TestDaemon.start({ models: 'tiny', folder: data, awaitReady: false })).kill('SIGTERM');
  execFileSync('mount', ['-o', 'remount,ro', disk.path]);
  await rejects(TestDaemon.start({ models: 'tiny', folder: data, awaitReady: false }), (error: Error) => {
    match(error.message, /the data folder .* cannot be written \(EROFS\)/);
    return true;
  });
});

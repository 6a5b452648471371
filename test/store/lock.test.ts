/** The lock of the data folder: held by the kernel, for exactly one process, until that ends. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type BackupOrder, writeBackup } from '../../src/store/backup/backup.ts';
import { restoreBackup } from '../../src/store/backup/restore.ts';
import { FolderInUseError, FolderLock } from '../../src/store/lock.ts';
import { Store } from '../../src/store/store.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { LEFTOVERS, race, Starter, writeOlderLock, Zombie } from './lock-races.ts';

/** Five over each leftover; `test/heavy/store/lock-races.ts` runs a hundred. */
const RACES = 5 * LEFTOVERS.length;
const WAIT_MS = 200;
/** What a daemon at work may hold; the kernel takes it back before it gives the lock away. */
const BALLAST_BYTES = 1024 ** 3;
const NEVER = new AbortController().signal;

test('exactly one of three simultaneous starters gets the folder', async () => {
  await using folder = await makeTemporaryFolder();
  deepEqual(await race(folder.path, RACES), []);
});

test('a holder is named, and its end frees the folder, even by a kill', async () => {
  await using folder = await makeTemporaryFolder();
  await using holder = await Starter.start(BALLAST_BYTES);
  deepEqual(await holder.take(folder.path, WAIT_MS), { type: 'taken' });
  await rejects(FolderLock.acquire(folder.path, WAIT_MS), (error: Error) => {
    ok(error instanceof FolderInUseError);
    match(error.message, new RegExp(`in use by process ${holder.pid}; stop it first`));
    return true;
  });
  holder.kill();
  await using _ = await FolderLock.acquire(folder.path);
});

test('a holder that is a zombie holds nothing', async () => {
  await using folder = await makeTemporaryFolder();
  await using _zombie = await Zombie.make(folder.path);
  // It is called a zombie once its first thread has ended; the others may hold the file a moment longer.
  await using _ = await FolderLock.acquire(folder.path);
});

test('a live older version keeps the folder; a dead one does not', async () => {
  await using folder = await makeTemporaryFolder();
  const refusal = async (pid: number) => {
    await rejects(FolderLock.acquire(folder.path, WAIT_MS), new RegExp(`in use by process ${pid}; stop`));
  };
  {
    await using older = await Starter.start();
    await writeOlderLock(folder.path, older.pid);
    await refusal(older.pid);
  }
  await using _ = await FolderLock.acquire(folder.path, 0);
});

test('giving back leaves the locked file where it is, and takes nothing of the next holder', async () => {
  await using folder = await makeTemporaryFolder();
  const first = await FolderLock.acquire(folder.path);
  await first[Symbol.asyncDispose]();
  deepEqual(readdirSync(folder.path), ['folder.lock']);
  await using _ = await FolderLock.acquire(folder.path, 0);
  await first[Symbol.asyncDispose]();
  ok(existsSync(join(folder.path, 'daemon.lock')));
  await using other = await Starter.start();
  equal((await other.take(folder.path, WAIT_MS)).type, 'refused');
});

test('a lock that cannot be judged keeps the folder closed, and says why', async () => {
  await using folder = await makeTemporaryFolder();
  const holderFile = join(folder.path, 'daemon.lock');
  await mkdir(holderFile);
  await rejects(FolderLock.acquire(folder.path, 0), { code: 'EISDIR' });
  await rmdir(holderFile);
  {
    await using holder = await Starter.start();
    deepEqual(await holder.take(folder.path, WAIT_MS), { type: 'taken' }, 'the fault left no lock');
    await rm(holderFile);
    await rejects(FolderLock.acquire(folder.path, 0), /in use by another process, or its file system knows/);
  }
  await writeFile(join(folder.path, 'folder.lock'), 'no lock, but text of a person'.repeat(9));
  await rejects(FolderLock.acquire(folder.path, 0), /folder\.lock cannot be locked: file is not a database/);
});

/** Process ids as a container has them. */
const OWN_PIDS = ['--user', '--map-root-user', '--pid', '--fork', '--kill-child', '--mount-proc'];

test('the lock holds across PID namespaces', async (context) => {
  if (spawnSync('unshare', [...OWN_PIDS, 'true']).status !== 0) {
    context.skip('this machine lets no one make a PID namespace');
    return;
  }
  await using folder = await makeTemporaryFolder();
  const source = `import { FolderLock } from ${JSON.stringify(join(import.meta.dirname, '../../src/store/lock.ts'))};
    globalThis.lock = await FolderLock.acquire(process.argv[1]).catch((error) => error.message);
    process.stdout.write(typeof lock === 'string' ? lock : 'taken'); setInterval(() => {}, 1000);`;
  const node = [process.execPath, '--input-type=module', '-e', source, folder.path];
  const container = (): ChildProcess =>
    spawn('unshare', [...OWN_PIDS, ...node], { stdio: ['ignore', 'pipe', 'inherit'] });
  {
    await using _ = await FolderLock.acquire(folder.path);
    match(await firstWordsOf(container()), /in use by process \d+ of another container or machine/);
  }
  const holder = container();
  equal(await firstWordsOf(holder, 'left running'), 'taken');
  await rejects(FolderLock.acquire(folder.path, WAIT_MS), /of another container or machine/);
  holder.kill('SIGKILL');
  await using _ = await FolderLock.acquire(folder.path);
});

async function firstWordsOf(child: ChildProcess, after?: 'left running'): Promise<string> {
  for await (const chunk of child.stdout ?? []) {
    if (after === undefined) child.kill('SIGKILL');
    return String(chunk);
  }
  return '';
}

test('a restore and the rebuilding of indexes take the same lock', async () => {
  await using folder = await makeTemporaryFolder();
  const data = join(folder.path, 'data');
  const order: BackupOrder = {
    folder: join(folder.path, 'backups'),
    withSecrets: false,
    version: '0.0.0',
    now: 1_800_000_000_000,
    bytesPerSecondMax: 0,
  };
  let backup: string;
  {
    await using store = await Store.open({ folder: data });
    backup = (await writeBackup(store, order, () => undefined, NEVER)).path;
  }
  const target = join(folder.path, 'restored');
  await mkdir(target);
  {
    await using _data = await FolderLock.acquire(data);
    await rejects(Store.open({ folder: data, isRebuildAsked: true }), FolderInUseError);
  }
  await using holder = await Starter.start();
  // Taken while the backup is read: the folder is empty when the restore looks at it first.
  deepEqual(await holder.take(target, WAIT_MS), { type: 'taken' });
  await rejects(
    restoreBackup({ backup, dataFolder: target, isDryRun: false, operator: 'a test' }, NEVER),
    /in use by process/,
  );
  await holder.release();
  await restoreBackup({ backup, dataFolder: target, isDryRun: false, operator: 'a test' }, NEVER);
  await using _restored = await Store.open({ folder: target });
});

import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm, stat, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Classification } from '../../src/domain/records/classification.ts';
import { DEFAULT_OPTIONS } from '../../src/domain/records/options.ts';
import { writeBackup } from '../../src/store/backup/backup.ts';
import { readListing, readManifest } from '../../src/store/backup/listing.ts';
import { restoreBackup } from '../../src/store/backup/restore.ts';
import { listBackups, removeOldBackups } from '../../src/store/backup/shelf.ts';
import { verifyBackupCustody } from '../../src/store/backup/verify-backup.ts';
import { Store } from '../../src/store/store.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const NEVER = new AbortController().signal;
const silent = () => {};

function recordOf(identifier: string, hash: string): Classification {
  return {
    identifier,
    accountId: 1,
    kind: 'image',
    name: `${identifier}.jpg`,
    refId: '',
    hash,
    mime: 'image/jpeg',
    sizeBytes: 3,
    sourceUrl: null,
    options: DEFAULT_OPTIONS,
    analysisId: `of-${identifier}`,
    origin: 'analysed',
    cancelled: false,
    credits: 0,
    webhookUrl: null,
    requestId: null,
    createdAt: 1,
  };
}

/** Accepts media as a submission does. */
async function submit(store: Store, identifier: string, text: string): Promise<string> {
  async function* bytes() {
    yield Buffer.from(text);
  }
  const blob = await store.blobs.receive(bytes(), { bytesMax: 1000 }, NEVER);
  await store.blobs.keep(blob);
  await store.transact((tx) => tx.putClassification(recordOf(identifier, blob.hash)));
  return blob.hash;
}

function orderFor(folder: string, now: number, withSecrets = false) {
  return { folder, withSecrets, version: '0.0.0', now, bytesPerSecondMax: 0 };
}

async function pathsOf(backup: string): Promise<string[]> {
  return (await Array.fromAsync(readListing(backup))).map(({ path }) => path).sort();
}

test('a backup made amid writes is restored record by record and byte by byte', async () => {
  await using folder = await makeTemporaryFolder();
  const backups = join(folder.path, 'backups');
  const hashes = new Map<string, string>();
  let backup: string;
  {
    await using store = await Store.open({ folder: join(folder.path, 'data') });
    for (let index = 0; index < 20; index++)
      hashes.set(`${index}`, await submit(store, `${index}`, `m${index}`));
    const made = writeBackup(store, orderFor(backups, 1_800_000_000_000), silent, NEVER);
    for (let index = 20; index < 40; index++) await submit(store, `${index}`, `m${index}`);
    backup = (await made).path;
  }
  const target = join(folder.path, 'restored');
  const { manifest, values } = await restoreBackup(
    { backup, dataFolder: target, isDryRun: false, operator: 'a test' },
    NEVER,
  );
  ok(manifest.files >= 21);
  ok((values ?? 0) > 20);
  await using restored = await Store.open({ folder: target });
  for (const [identifier, hash] of hashes) {
    deepEqual(restored.read.records.get(identifier), recordOf(identifier, hash));
    equal(await readFile(restored.blobs.pathOf(hash), 'utf8'), `m${identifier}`);
  }
  // What came after the snapshot is there with its bytes or not at all.
  for (const { hash } of restored.read.records.list({ accountId: 1, limit: 100 })) {
    ok(await restored.blobs.has(hash));
  }
});

test('a later backup links what an earlier one has, and outlives it', async () => {
  await using folder = await makeTemporaryFolder();
  const backups = join(folder.path, 'backups');
  await using store = await Store.open({ folder: join(folder.path, 'data') });
  const hash = await submit(store, 'a', 'first');
  const first = await writeBackup(store, orderFor(backups, 1_800_000_000_000), silent, NEVER);
  await submit(store, 'b', 'second');
  const second = await writeBackup(store, orderFor(backups, 1_800_000_001_000), silent, NEVER);
  const place = join('blobs', hash.slice(0, 2), hash);
  equal((await stat(join(first.path, place))).ino, (await stat(join(second.path, place))).ino);
  ok(second.copiedBytes < second.manifest.bytes);
  deepEqual(await listBackups(backups), [second.path, first.path]);
  deepEqual(await removeOldBackups(backups, 1), [first.path]);
  const order = {
    backup: second.path,
    dataFolder: join(folder.path, 'restored'),
    isDryRun: true,
    operator: 'a test',
  };
  equal((await restoreBackup(order, NEVER)).values, null);
  ok(!existsSync(order.dataFolder), 'a dry run writes nothing');
});

test('secrets are in a backup only when asked for', async () => {
  await using folder = await makeTemporaryFolder();
  const backups = join(folder.path, 'backups');
  await using store = await Store.open({ folder: join(folder.path, 'data') });
  const secrets = ['sealing.key', 'evidence-signing.key'];
  for (const name of [...secrets, 'evidence-keys.json']) await writeFile(join(store.folder, name), 'k');
  const without = await writeBackup(store, orderFor(backups, 1_800_000_000_000), silent, NEVER);
  const paths = await pathsOf(without.path);
  ok(!secrets.some((name) => paths.includes(name)));
  ok(paths.includes('evidence-keys.json'));
  const withSecrets = await writeBackup(store, orderFor(backups, 1_800_000_001_000, true), silent, NEVER);
  const whole = await pathsOf(withSecrets.path);
  ok(secrets.every((name) => whole.includes(name)));
  equal((await readManifest(withSecrets.path)).withSecrets, true);
});

test('media that rotted are left out, or taken from the backup before', async () => {
  await using folder = await makeTemporaryFolder();
  const backups = join(folder.path, 'backups');
  await using store = await Store.open({ folder: join(folder.path, 'data') });
  const kept = await submit(store, 'a', 'kept');
  await writeBackup(store, orderFor(backups, 1_800_000_000_000), silent, NEVER);
  const lost = await submit(store, 'b', 'lost');
  for (const hash of [kept, lost]) await writeFile(store.blobs.pathOf(hash), 'rot');
  const second = await writeBackup(store, orderFor(backups, 1_800_000_001_000), silent, NEVER);
  deepEqual(second.damaged, [join('blobs', lost.slice(0, 2), lost)]);
  equal(await readFile(join(second.path, 'blobs', kept.slice(0, 2), kept), 'utf8'), 'kept');
});

test('a cancelled backup leaves nothing', async () => {
  await using folder = await makeTemporaryFolder();
  const backups = join(folder.path, 'backups');
  await using store = await Store.open({ folder: join(folder.path, 'data') });
  await submit(store, 'a', 'one');
  const stop = new AbortController();
  const report = ({ phase }: { phase: string }) => {
    if (phase === 'files') stop.abort();
  };
  await rejects(writeBackup(store, orderFor(backups, 1_800_000_000_000), report, stop.signal));
  deepEqual(await readdir(backups), []);
});

test('a bounded backup is slow but whole, and can be cancelled amid a rest', async () => {
  await using folder = await makeTemporaryFolder();
  await using store = await Store.open({ folder: join(folder.path, 'data') });
  await submit(store, 'a', 'x'.repeat(900));
  const bounded = { ...orderFor(join(folder.path, 'slow'), 1_800_000_000_000), bytesPerSecondMax: 2000 };
  const startedAt = performance.now();
  const { path } = await writeBackup(store, bounded, silent, NEVER);
  // Read once and read back; written too, where the disk shares no blocks.
  ok(performance.now() - startedAt >= 850);
  ok((await pathsOf(path)).some((name) => name.startsWith('blobs/')));
  const order = { ...orderFor(join(folder.path, 'slower'), 1_800_000_000_000), bytesPerSecondMax: 1 };
  await rejects(writeBackup(store, order, silent, AbortSignal.timeout(1000)), /abort/i);
  deepEqual(await readdir(join(folder.path, 'slower')), []);
});

/** What happens to a good backup, and what the refusal must name. */
const DAMAGES: { name: string; damage: (backup: string, blob: string) => Promise<void>; refusal: RegExp }[] =
  [
    {
      name: 'a flipped byte of a medium',
      damage: (backup, blob) => writeFile(join(backup, blob), 'onf'),
      refusal: /blobs\/[0-9a-f]{2}\/[0-9a-f]{64}: its bytes have changed/,
    },
    {
      name: 'a missing medium',
      damage: (backup, blob) => unlink(join(backup, blob)),
      refusal: /blobs\/.*: missing/,
    },
    {
      name: 'a flipped byte of the records',
      async damage(backup) {
        const path = join(backup, 'records', 'data.mdb');
        const bytes = await readFile(path);
        bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
        await writeFile(path, bytes);
      },
      refusal: /records\/data\.mdb: its bytes have changed/,
    },
    {
      name: 'a medium that is a link to the same bytes',
      async damage(backup, blob) {
        await rename(join(backup, blob), join(backup, '..', 'outside'));
        await symlink(join(backup, '..', 'outside'), join(backup, blob));
      },
      refusal: /blobs\/.*: is a link/,
    },
    {
      name: 'a folder that is a link',
      async damage(backup) {
        await rename(join(backup, 'records'), join(backup, '..', 'outside'));
        await symlink(join(backup, '..', 'outside'), join(backup, 'records'));
      },
      refusal: /records: is a link/,
    },
    {
      name: 'a file that was put in',
      damage: (backup) => writeFile(join(backup, 'blobs', 'note.txt'), 'more'),
      refusal: /blobs\/note\.txt: is not in files\.sha256/,
    },
    {
      name: 'a pipe, which would be read forever',
      damage: async (backup) => void execFileSync('mkfifo', [join(backup, 'blobs', 'pipe')]),
      refusal: /blobs\/pipe: is no plain file/,
    },
    {
      name: 'a changed list',
      damage: (backup) => writeFile(join(backup, 'files.sha256'), ''),
      refusal: /files\.sha256: changed/,
    },
    {
      name: 'a manifest that is no JSON',
      damage: (backup) => writeFile(join(backup, 'manifest.json'), '{'),
      refusal: /manifest\.json is damaged: it is no JSON/,
    },
    {
      name: 'a manifest of a newer program',
      async damage(backup) {
        const path = join(backup, 'manifest.json');
        const manifest = { ...(await readManifest(backup)), manifestVersion: 99 };
        await writeFile(path, JSON.stringify(manifest));
      },
      refusal: /has version 99, this program reads up to \d+: restore with a newer Assay/,
    },
    {
      name: 'a backup of a newer format',
      async damage(backup) {
        const path = join(backup, 'manifest.json');
        await writeFile(
          path,
          (await readFile(path, 'utf8')).replace(/"formatVersion": \d+/, '"formatVersion": 99'),
        );
      },
      refusal: /has format 99, this version reads up to \d+: restore it with Assay/,
    },
  ];

for (const { name, damage, refusal } of DAMAGES) {
  test(`refused: ${name}`, async () => {
    await using folder = await makeTemporaryFolder();
    let backup: string;
    let blob: string;
    {
      await using store = await Store.open({ folder: join(folder.path, 'data') });
      const hash = await submit(store, 'a', 'one');
      blob = join('blobs', hash.slice(0, 2), hash);
      backup = (await writeBackup(store, orderFor(folder.path, 1_800_000_000_000), silent, NEVER)).path;
    }
    await damage(backup, blob);
    const dataFolder = join(folder.path, 'restored');
    await rejects(restoreBackup({ backup, dataFolder, isDryRun: false, operator: 'a test' }, NEVER), refusal);
    ok(!existsSync(dataFolder), 'nothing was written');
  });
}

test('the custody log of a backup is judged only if the backup holds what was written', async () => {
  await using folder = await makeTemporaryFolder();
  let whole: string;
  {
    await using store = await Store.open({ folder: join(folder.path, 'data') });
    await submit(store, 'a', 'one');
    whole = (await writeBackup(store, orderFor(folder.path, 1_800_000_000_000), silent, NEVER)).path;
  }
  equal((await verifyBackupCustody(whole, NEVER)).isWhole, true);
  const manifest = JSON.stringify({ ...(await readManifest(whole)), formatVersion: 2 });
  const listing = await readFile(join(whole, 'files.sha256'), 'utf8');
  const cases = [
    { file: 'manifest.json', text: manifest, refusal: /is older than the custody log: it has none/ },
    { file: 'records/data.mdb', text: 'x', refusal: /data\.mdb: its bytes have changed since the backup/ },
    { file: 'files.sha256', text: '', refusal: /holds no records\/data\.mdb/ },
    { file: 'files.sha256', text: 'no line\n', refusal: /files\.sha256 line 1 is damaged/ },
    {
      file: 'files.sha256',
      text: listing.replace(/ {2}\S+/, '  ../outside'),
      refusal: /files\.sha256 line 1 is damaged/,
    },
    {
      file: 'evidence-keys.json',
      text: '{}',
      refusal: /evidence-keys\.json is damaged: expected the public/,
    },
  ];
  for (const { file, text, refusal } of cases) {
    const backup = join(folder.path, 'changed');
    await rm(backup, { recursive: true, force: true });
    await cp(whole, backup, { recursive: true });
    await writeFile(join(backup, file), text);
    await rejects(verifyBackupCustody(backup, NEVER), refusal);
  }
});

test('a folder that is not empty is left alone, and a half restored one is not opened', async () => {
  await using folder = await makeTemporaryFolder();
  const dataFolder = join(folder.path, 'data');
  await mkdir(dataFolder);
  await writeFile(join(dataFolder, 'mine'), '');
  await rejects(
    restoreBackup({ backup: folder.path, dataFolder, isDryRun: false, operator: 'a test' }, NEVER),
    /is not empty \(mine\)/,
  );
  await rm(join(dataFolder, 'mine'));
  await writeFile(join(dataFolder, 'restore.incomplete'), '');
  await rejects(Store.open({ folder: dataFolder }), (error: Error) => {
    match(error.message, /did not finish: empty the folder and restore again/);
    return true;
  });
});

import { deepEqual, equal, rejects } from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { ChangedOriginalError } from '../../src/store/blob-checks.ts';
import { BlobStore } from '../../src/store/blobs.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const BOUNDS = { bytesMax: 10 * 1024 ** 2 };
const { signal } = new AbortController();

interface Kept extends AsyncDisposable {
  blobs: BlobStore;
  bytes: Buffer;
  hash: string;
  changed: string[];
}

async function openBlobs(folder: string, changed: string[] = []): Promise<BlobStore> {
  const blobs = new BlobStore(
    folder,
    async () => {},
    (hash) => changed.push(hash),
  );
  await blobs.prepare();
  return blobs;
}

async function submit(blobs: BlobStore, bytes: Buffer): Promise<void> {
  await blobs.keep(await blobs.receive([bytes] as never, BOUNDS, signal));
}

async function keepOne(): Promise<Kept> {
  const folder = await makeTemporaryFolder();
  const changed: string[] = [];
  const blobs = await openBlobs(folder.path, changed);
  const bytes = randomBytes(700_000);
  await submit(blobs, bytes);
  const hash = createHash('sha256').update(bytes).digest('hex');
  return { blobs, bytes, hash, changed, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

async function readAll(blobs: BlobStore, hash: string, pieces: Buffer[] = []): Promise<Buffer> {
  for await (const piece of blobs.checks.read(hash)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Another byte under the same size and time: what only reading finds. */
async function rot(path: string): Promise<void> {
  const bytes = await readFile(path);
  const { atime, mtime } = await stat(path);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  await writeFile(path, bytes);
  await utimes(path, atime, mtime);
}

/** Writes as a decoder would that changes its input. */
async function change(path: string): Promise<void> {
  await writeFile(path, randomBytes((await stat(path)).size));
  await utimes(path, new Date(), new Date(Date.now() + 1000));
}

test('a whole file is read as it is', async () => {
  await using kept = await keepOne();
  deepEqual(await readAll(kept.blobs, kept.hash), kept.bytes);
  await kept.blobs.checks.check(kept.hash);
  deepEqual(kept.changed, []);
});

test('reading a changed file breaks off before its end, and is reported once', async () => {
  await using kept = await keepOne();
  await rot(kept.blobs.pathOf(kept.hash));
  const pieces: Buffer[] = [];
  await rejects(readAll(kept.blobs, kept.hash, pieces), ChangedOriginalError);
  const given = pieces.reduce((sum, { length }) => sum + length, 0);
  equal(given > 0 && given < kept.bytes.length, true, `${given} bytes were given`);
  const later: Buffer[] = [];
  await rejects(readAll(kept.blobs, kept.hash, later), ChangedOriginalError);
  deepEqual(later, [], 'known by now: refused before the first byte');
  deepEqual(kept.changed, [kept.hash]);
});

test('only a file that was touched since its last check is read through', async () => {
  await using kept = await keepOne();
  const path = kept.blobs.pathOf(kept.hash);
  // A store after a start knows of no check yet.
  await kept.blobs.checks.check(kept.hash);
  await change(path);
  await rejects(kept.blobs.checks.check(kept.hash), ChangedOriginalError);
  await rejects(kept.blobs.checks.check(kept.hash), ChangedOriginalError);
  deepEqual(kept.changed, [kept.hash]);
});

test('another file in its place is noticed by its inode', async () => {
  await using kept = await keepOne();
  const path = kept.blobs.pathOf(kept.hash);
  const { atime, mtime } = await stat(path);
  await writeFile(`${path}.other`, randomBytes(kept.bytes.length));
  await utimes(`${path}.other`, atime, mtime);
  await rename(`${path}.other`, path);
  await rejects(kept.blobs.checks.check(kept.hash), ChangedOriginalError);
});

test('several readers at once wait for one check', async () => {
  await using kept = await keepOne();
  await change(kept.blobs.pathOf(kept.hash));
  const checks = await Promise.allSettled([1, 2, 3].map(() => kept.blobs.checks.check(kept.hash)));
  deepEqual(
    checks.map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  );
  deepEqual(kept.changed, [kept.hash]);
});

test('a file that is sent again replaces a changed one', async () => {
  await using kept = await keepOne();
  await change(kept.blobs.pathOf(kept.hash));
  await rejects(kept.blobs.checks.check(kept.hash), ChangedOriginalError);
  await submit(kept.blobs, kept.bytes);
  deepEqual(await readAll(kept.blobs, kept.hash), kept.bytes);
});

test('a file that was cut short is replaced without being read', async () => {
  await using kept = await keepOne();
  await writeFile(kept.blobs.pathOf(kept.hash), kept.bytes.subarray(0, 1000));
  await submit(kept.blobs, kept.bytes);
  deepEqual(await readAll(kept.blobs, kept.hash), kept.bytes);
});

test('a cancelled reading ends with the reason, and cancelling an ended one does nothing', async () => {
  await using kept = await keepOne();
  const ended = new AbortController();
  for await (const _ of kept.blobs.checks.read(kept.hash, { signal: ended.signal }));
  // An error that no one awaits would fail this file: it ended the daemon.
  ended.abort();
  await new Promise((resolve) => setTimeout(resolve, 50));
  const called = new AbortController();
  await rejects(
    async () => {
      for await (const _ of kept.blobs.checks.read(kept.hash, { signal: called.signal })) called.abort();
    },
    { name: 'AbortError' },
  );
});

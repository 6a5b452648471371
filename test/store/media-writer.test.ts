import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { DiskFullError, MediaWriter } from '../../src/store/media-writer.ts';
import { Store } from '../../src/store/store.ts';
import { PATIENCE_MS } from '../patience.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const MIB = 1024 ** 2;
const NEVER = new AbortController().signal;

test('a large file is flushed while its last bytes still arrive', async () => {
  await using folder = await makeTemporaryFolder();
  await using store = await Store.open({ folder: folder.path });
  const flushing = Promise.withResolvers<void>();
  const enterFlush = async (): Promise<Disposable> => {
    flushing.resolve();
    return { [Symbol.dispose]() {} };
  };
  const bytes = async function* () {
    yield* zeros(6);
    const isFlushing = await Promise.race([
      flushing.promise.then(() => true),
      delay(PATIENCE_MS, false, { ref: false }),
    ]);
    assert.ok(isFlushing, 'nothing is flushed while the sender is waited for');
    yield new Uint8Array(MIB);
  };
  const blob = await store.blobs.receive(bytes(), { bytesMax: 9 * MIB, enterFlush }, NEVER);
  assert.equal(blob.sizeBytes, 7 * MIB);
  await store.blobs.keep(blob);
  assert.equal(await store.blobs.sizeOf(blob.hash), 7 * MIB);
});

test('a writer that failed has no flush under way, which would note a file that is removed', async () => {
  await using folder = await makeTemporaryFolder();
  const path = join(folder.path, 'upload');
  await using file = await open(path, 'w');
  const noted: number[] = [];
  const onFlushed = async (flushedBytes: number): Promise<void> => {
    await delay(50);
    noted.push(flushedBytes);
  };
  const bounds = { bytesMax: 64 * MIB, freeBytesMin: Number.MAX_SAFE_INTEGER };
  {
    const start = { hash: createHash('sha256'), sizeBytes: 0, onFlushed };
    await using writer = new MediaWriter(file, path, start, bounds);
    await assert.rejects(writer.receive(zeros(32), NEVER), DiskFullError);
    await assert.rejects(writer.flush(), DiskFullError);
  }
  const before = noted.length;
  assert.ok(before > 0, 'a flush was under way');
  await delay(200);
  assert.equal(noted.length, before);
});

test('the flush that a last write begins has ended too when the writer is disposed of', async () => {
  await using folder = await makeTemporaryFolder();
  const path = join(folder.path, 'upload');
  await using file = await open(path, 'w');
  const flushes = { begun: 0, ended: 0 };
  const enterFlush = async (): Promise<Disposable> => {
    flushes.begun += 1;
    return {
      [Symbol.dispose]() {
        flushes.ended += 1;
      },
    };
  };
  {
    const start = { hash: createHash('sha256'), sizeBytes: 0 };
    await using writer = new MediaWriter(file, path, start, { bytesMax: 64 * MIB, enterFlush });
    const bytes = async function* () {
      yield new Uint8Array(8 * MIB);
      throw new Error('the sender left');
    };
    await assert.rejects(writer.receive(bytes(), NEVER), /the sender left/);
  }
  assert.deepEqual(flushes, { begun: 1, ended: 1 });
});

async function* zeros(pieces: number): AsyncGenerator<Uint8Array> {
  for (let piece = 0; piece < pieces; piece++) yield new Uint8Array(MIB);
}

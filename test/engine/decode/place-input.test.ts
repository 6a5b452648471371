import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { AppError } from '../../../src/domain/errors.ts';
import { failureOf } from '../../../src/engine/children/engine-errors.ts';
import { CopyRoom } from '../../../src/engine/decode/copy-room.ts';
import { findIsolations, reachesOriginals } from '../../../src/engine/decode/isolation.ts';
import { placeOriginal } from '../../../src/engine/decode/place-original.ts';
import { ChangedOriginalError } from '../../../src/store/blob-checks.ts';
import { BlobStore } from '../../../src/store/blobs.ts';
import { LIMITS, openSlotAt } from '../../media/decode-fixture.ts';
import { patternImage } from '../../media/pictures.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';

interface Stored {
  blobs: BlobStore;
  hash: string;
  path: string;
  changed: string[];
}

async function storePicture(folder: string): Promise<Stored> {
  const bytes = await patternImage(64, 48).png().toBuffer();
  const hash = createHash('sha256').update(bytes).digest('hex');
  const changed: string[] = [];
  const blobs = new BlobStore(
    folder,
    async () => {},
    (it) => changed.push(it),
  );
  const path = blobs.pathOf(hash);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, bytes);
  return { blobs, hash, path, changed };
}

test('an original is linked behind a wall, copied without one, and read in both cases', async () => {
  await using folder = await makeTemporaryFolder();
  const { blobs, hash, path } = await storePicture(folder.path);
  for await (const isolation of findIsolations(join(folder.path, 'trial'), folder.path)) {
    await using slot = await openSlotAt(folder.path, isolation);
    const input = await placeOriginal(slot, blobs, { hash });
    const placed = join(folder.path, 'slot', 'in', input);
    const isSame = (await stat(placed)).ino === (await stat(path)).ino;
    assert.equal(isSame, !reachesOriginals(isolation), isolation.level);
    // Two requests about one file place it once.
    for (const _ of [1, 2]) {
      const { probe } = await slot.request({ type: 'probe', input, limits: LIMITS });
      assert.equal(probe.width, 64, isolation.level);
    }
    if (isSame) continue;
    await chmod(placed, 0o600);
    await writeFile(placed, 'changed by the decoder');
    assert.equal(
      createHash('sha256')
        .update(await readFile(path))
        .digest('hex'),
      hash,
    );
  }
});

test('an original that is not what was submitted is not judged, and reported once', async () => {
  await using folder = await makeTemporaryFolder();
  const { blobs, hash, path, changed } = await storePicture(folder.path);
  const bytes = await readFile(path);
  bytes[40] = (bytes[40] ?? 0) ^ 1;
  await writeFile(path, bytes);
  for await (const isolation of findIsolations(join(folder.path, 'trial'), folder.path)) {
    await using slot = await openSlotAt(folder.path, isolation);
    await assert.rejects(placeOriginal(slot, blobs, { hash }), (error) => {
      assert.ok(error instanceof ChangedOriginalError, String(error));
      const failure = failureOf(error, { isOverdue: false, timeoutMs: 1000 });
      assert.equal(failure.type, 'final');
      return true;
    });
  }
  assert.deepEqual(changed, [hash]);
});

test('a copy leaves the room that must stay free, and none is made without it', async () => {
  await using folder = await makeTemporaryFolder();
  const { blobs, hash } = await storePicture(folder.path);
  const isolations = await Array.fromAsync(findIsolations(join(folder.path, 'trial'), folder.path));
  const bare = isolations.at(-1) ?? assert.fail();
  await using slot = await openSlotAt(folder.path, bare, () => {}, new CopyRoom(Number.MAX_SAFE_INTEGER));
  await assert.rejects(placeOriginal(slot, blobs, { hash }), (error) => {
    assert.ok(error instanceof AppError);
    assert.equal(error.reason, 'disk_full');
    assert.equal(failureOf(error, { isOverdue: false, timeoutMs: 1000 }).type, 'wait');
    return true;
  });
  assert.deepEqual(await readdir(join(folder.path, 'slot', 'in')), []);
});

test('copies under way count as written', async () => {
  await using folder = await makeTemporaryFolder();
  const room = new CopyRoom(0);
  const { bavail, bsize } = await statfs(folder.path);
  const most = Math.floor(bavail * bsize * 0.75);
  {
    using _first = await room.take(folder.path, most);
    await assert.rejects(room.take(folder.path, most), AppError);
  }
  using _again = await room.take(folder.path, most);
});

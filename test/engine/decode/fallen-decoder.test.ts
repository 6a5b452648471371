/** A program of the test's own plays in a real slot, behind each wall without the kernel's filter, which refuses most of it. */
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { WorkerLostError } from '../../../src/engine/children/worker-errors.ts';
import { CopyRoom } from '../../../src/engine/decode/copy-room.ts';
import type { DecodeSlot, DecodeWork } from '../../../src/engine/decode/decode-slot.ts';
import { findIsolations, type Isolation } from '../../../src/engine/decode/isolation.ts';
import { ArtifactStore } from '../../../src/store/artifacts.ts';
import { LIMITS, openSlotAt } from '../../media/decode-fixture.ts';
import { fallenDecoder, type Trick } from '../../media/fallen-decoder.ts';
import { PATIENCE_MS } from '../../patience.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';

const SECRET = 'of the daemon';
const NAME = 'map.png';
/** More than libuv has threads: each may be held by one pipe. */
const THREADS = 8;

/** Whether the daemon keeps output of the trick, which then is what an honest decoder leaves; null if that is a matter of luck. */
const TRICKS: readonly { trick: Trick; mayKeep: boolean | null }[] = [
  { trick: 'honest', mayKeep: true },
  { trick: 'file becomes link', mayKeep: null },
  { trick: 'folder becomes link', mayKeep: true },
  { trick: 'file becomes pipe', mayKeep: null },
  { trick: 'below becomes link', mayKeep: true },
  { trick: 'pipe', mayKeep: false },
  { trick: 'device', mayKeep: false },
  { trick: 'second name', mayKeep: false },
  { trick: 'grows', mayKeep: null },
  { trick: 'many names', mayKeep: true },
];

const requestOf = (trick: Trick): DecodeWork => ({
  ...{ type: 'render-heatmap', input: trick, folder: 'in', limits: LIMITS, output: NAME, layer: 'origin' },
  ...{ size: 1, positions: [], probabilities: [] },
});

async function isKept(slot: DecodeSlot, artifacts: ArtifactStore): Promise<boolean> {
  try {
    using made = slot.openOut(NAME);
    await artifacts.put('analysis', NAME, made);
    return true;
  } catch (error) {
    assert.ok(error instanceof WorkerLostError, String(error));
    return false;
  }
}

test('files of a dead decoder are read and removed through descriptors', {
  timeout: PATIENCE_MS,
}, async () => {
  await using folder = await makeTemporaryFolder();
  const found = await Array.fromAsync(findIsolations(join(folder.path, 'trial'), folder.path));
  const walls = new Map(found.map((one): [string, Isolation] => [one.level, { ...one, kernel: null }]));
  const secrets = [NAME, 'canary/kept'].map((name) => join(folder.path, name));
  await mkdir(join(folder.path, 'canary'));
  for (const path of secrets) await writeFile(path, SECRET);
  const artifacts = new ArtifactStore(folder.path, async () => {});
  const [secret = '', kept = ''] = secrets;
  const played = { made: NAME, secret, canary: dirname(kept), folder: folder.path };
  const program = ['--input-type=module', '--eval', fallenDecoder(played)];
  for (const isolation of walls.values()) {
    const open = () => openSlotAt(folder.path, isolation, () => {}, new CopyRoom(0), program);
    let slot = await open();
    for (const { trick, mayKeep } of TRICKS) {
      const what = `${trick}, ${isolation.level}`;
      await slot.request(requestOf(trick));
      const wasKept = await isKept(slot, artifacts);
      if (wasKept)
        assert.match(await readFile(artifacts.pathOf('analysis', NAME), 'latin1'), /^honest/, what);
      if (mayKeep !== null) assert.equal(wasKept, mayKeep, what);
      const isCleared = await slot.clear().then(
        () => true,
        () => false,
      );
      // Each pipe that is waited for would hold one thread for good.
      const read = await Promise.all(Array.from({ length: THREADS }, () => readFile(secret, 'utf8')));
      assert.deepEqual([...new Set(read)], [SECRET], what);
      if (slot.isUsable && isCleared) continue;
      await slot[Symbol.asyncDispose]();
      slot = await open();
    }
    await slot[Symbol.asyncDispose]();
    assert.deepEqual(await readdir(join(folder.path, 'canary')), ['kept'], isolation.level);
  }
  assert.deepEqual((await readdir(folder.path)).sort(), ['artifacts', 'canary', NAME]);
});

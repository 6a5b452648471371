import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import { RenditionMaker } from '../../../src/engine/decode/rendition-maker.ts';
import { Store } from '../../../src/store/store.ts';
import { childrenOf } from '../../faults/rounds/processes.ts';
import { makePool } from '../../media/decode-fixture.ts';
import { patternImage, writePicture } from '../../media/pictures.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';

/** A child that answers needs far less even on a busy box; the test waits so long for the frozen one. */
const QUICK_MS = 10_000;

test('a picture that a frozen child was asked for is made by a fresh one', async () => {
  await using folder = await makeTemporaryFolder();
  await using store = await Store.open({ folder: join(folder.path, 'data') });
  const children = join(folder.path, 'children');
  await mkdir(children);
  await using observed = makePool(children);
  const maker = new RenditionMaker(
    { bytesMax: 1e9, diskFreeBytesMin: 0, timeoutsMs: { quick: QUICK_MS, slow: QUICK_MS } },
    { store, pool: observed.pool, log: pino({ level: 'silent' }), stepTimed: () => {} },
  );
  const bytes = await patternImage(64, 48).png().toBuffer();
  const owner = createHash('sha256').update(bytes).digest('hex');
  const sourcePath = store.blobs.pathOf(owner);
  await mkdir(dirname(sourcePath), { recursive: true });
  await writePicture(dirname(sourcePath), owner, bytes);
  const order = { owner, sourcePath, isOriginal: false, kind: 'picture' } as const;
  const make = (name: string) => maker.open({ ...order, name }, { accountId: 1, waitMs: 60_000 });
  const whole = await make('first');
  assert.equal(
    whole.state,
    'ready',
    whole.state === 'failed' ? String(whole.error.cause ?? whole.error) : whole.state,
  );
  const frozen = childrenOf(process.pid).decode;
  assert.ok(frozen.length > 0);
  for (const pid of frozen) process.kill(pid, 'SIGSTOP');
  const view = await make('second');
  assert.equal(view.state, 'ready', JSON.stringify(view));
  assert.ok(observed.losses.length > 0, 'the frozen one was given up');
  await maker.stop();
});

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { FileLooks } from '../../../src/engine/decode/file-looks.ts';
import { makePool } from '../../media/decode-fixture.ts';
import { patternImage, writePicture } from '../../media/pictures.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';

/** No decoder reads nine million pixels within it. */
const PROBE_TIMEOUT_MS = 5;
const SIDE = 3000;
const NEVER = new AbortController().signal;

test('a file that ends two decoders by its deadline is refused, and not looked at when it comes again', async () => {
  await using folder = await makeTemporaryFolder();
  await using observed = makePool(folder.path);
  const { pool, losses } = observed;
  const config = {
    ...{ probeWaitMs: 30_000, probeTimeoutMs: PROBE_TIMEOUT_MS, videoHeightMin: 240 },
    trust: () => assert.fail('no manifest is read'),
  };
  const blobs = { path: () => assert.fail('no original is read') };
  const looks = new FileLooks(config, { pool, blobs: blobs as never });
  const bytes = await patternImage(SIDE, SIDE).png().toBuffer();
  const path = await writePicture(folder.path, 'upload', bytes);
  const file = { path, hash: createHash('sha256').update(bytes).digest('hex') };
  for (const accountId of [1, 2]) {
    await assert.rejects(looks.probe(file, NEVER, accountId), {
      reason: 'corrupt',
      message: /^two decoders took longer than 0.005 s each to look at the file/,
    });
    assert.deepEqual(losses.length, 2);
  }
});

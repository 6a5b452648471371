import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import { readHeader } from '../../src/worker/pictures/header.ts';
import { decodePixels } from '../../src/worker/pictures/pixels.ts';
import { LIMITS } from '../media/decode-fixture.ts';
import { patternImage } from '../media/pictures.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const [WIDTH, HEIGHT] = [2600, 1800];

test('a large picture has the pixels that one thread decodes, turned or not, and is refused as a small one is', async () => {
  await using folder = await makeTemporaryFolder();
  const jpeg = await patternImage(WIDTH, HEIGHT).jpeg({ quality: 90 }).toBuffer();
  const path = join(folder.path, 'large.jpg');
  for (const orientation of [1, 6]) {
    const stored = await sharp(jpeg).withMetadata({ orientation }).toBuffer();
    await writeFile(path, stored);
    const { picture, lacksData } = await decodePixels(await readHeader(path, LIMITS));
    assert.equal(sharp.concurrency(), 1, 'copies and views have one thread each');
    const { data, info } = await sharp(stored).autoOrient().raw().toBuffer({ resolveWithObject: true });
    assert.deepEqual([picture.width, picture.height, lacksData], [info.width, info.height, false]);
    assert.ok(picture.rgb.equals(data), `orientation ${orientation}`);
  }
  await writeFile(path, jpeg.subarray(0, jpeg.length / 2));
  const header = await readHeader(path, LIMITS);
  await assert.rejects(decodePixels(header), /damaged or ends early|ends early/);
  assert.equal(sharp.concurrency(), 1);
});

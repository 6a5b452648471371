/** Models made from npm packages: made once, checked, made again where the file is not what the pack names. */
import assert from 'node:assert/strict';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { hashFile } from '../../../src/engine/decode/hash-file.ts';
import { convertedPath, makeModel } from '../../../src/engine/packs/conversions.ts';
import { FACE_PACK } from '../../models/conversion-orders.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';

test('a model is made once and kept', async () => {
  await using folder = await makeTemporaryFolder();
  const path = await makeModel(FACE_PACK, folder.path);
  assert.equal(path, convertedPath(FACE_PACK, folder.path));
  assert.equal(await hashFile(path), FACE_PACK.sha256);
  const first = await stat(path);
  await makeModel(FACE_PACK, folder.path);
  assert.equal((await stat(path)).ino, first.ino);
  assert.deepEqual(await readdir(dirname(path)), ['model.onnx'], 'nothing is left beside it');
});

test('a damaged model is made again', async () => {
  await using folder = await makeTemporaryFolder();
  const path = await makeModel(FACE_PACK, folder.path);
  await writeFile(path, 'half a mod');
  await makeModel(FACE_PACK, folder.path);
  assert.equal(await hashFile(path), FACE_PACK.sha256);
});

test('another result than the pack names is not used', async () => {
  await using folder = await makeTemporaryFolder();
  const other = { ...FACE_PACK, sha256: '0'.repeat(64) };
  await assert.rejects(makeModel(other, folder.path), /@vladmandic\/human has the SHA-256 [0-9a-f]{64}, not/);
  assert.deepEqual(await readdir(dirname(convertedPath(other, folder.path))), []);
});

test('a package that is not there is named', async () => {
  await using folder = await makeTemporaryFolder();
  const absent = { ...FACE_PACK, file: { ...FACE_PACK.file, package: 'no-such-package' } };
  await assert.rejects(makeModel(absent, folder.path), /cannot be made from the package: .*no-such-package/);
});

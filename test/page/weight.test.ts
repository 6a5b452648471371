import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { EN } from '../../page/texts/en.ts';
import { IT } from '../../page/texts/it.ts';
import { openBundle } from '../../src/port/page-bundle.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const FIRST_LOAD_BYTES_MAX = 150 * 1024;
/** Every page that there is. */
const WHOLE_BYTES_MAX = 300 * 1024;

function onNotKept(error: unknown): void {
  throw error;
}

test('the first load is small, and the second start builds nothing', async (context) => {
  await using folder = await makeTemporaryFolder();
  const { assets, firstLoad, entry } = await openBundle({ cacheFolder: folder.path, onNotKept });
  const bytes = firstLoad.reduce((sum, name) => sum + (assets.get(name)?.gzip.length ?? 0), 0);
  context.diagnostic(`${bytes} bytes compressed in ${firstLoad.length} files, ${assets.size} files in all`);
  assert.ok(bytes <= FIRST_LOAD_BYTES_MAX, `${bytes} bytes`);
  const whole = [...assets.values()].reduce((sum, asset) => sum + asset.gzip.length, 0);
  context.diagnostic(`${whole} bytes compressed in all`);
  assert.ok(whole <= WHOLE_BYTES_MAX, `${whole} bytes in all`);
  assert.ok(firstLoad.includes(entry.script) && firstLoad.length > 3, firstLoad.join());
  const started = performance.now();
  const again = await openBundle({ cacheFolder: folder.path, onNotKept });
  context.diagnostic(`opened again in ${Math.round(performance.now() - started)} ms`);
  assert.deepEqual([...again.assets.keys()].sort(), [...assets.keys()].sort());
  assert.equal((await readdir(folder.path)).length, 1);
});

test('a page that cannot be kept is served all the same', async () => {
  await using folder = await makeTemporaryFolder();
  // The cache folder is a plain file here: even root cannot create anything below one.
  const cacheFolder = join(folder.path, 'file');
  await writeFile(cacheFolder, '');
  const faults: unknown[] = [];
  const { entry } = await openBundle({ cacheFolder, onNotKept: (error) => faults.push(error) });
  assert.match(entry.script, /^main-/);
  assert.equal(faults.length, 1);
});

const fillingsOf = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();

test('both languages have the same texts with the same fillings', () => {
  assert.deepEqual(Object.keys(IT).sort(), Object.keys(EN).sort());
  const unlike = Object.entries(EN).filter(
    ([key, text]) => fillingsOf(text).join() !== fillingsOf(IT[key as keyof typeof EN]).join(),
  );
  assert.deepEqual(unlike, []);
});

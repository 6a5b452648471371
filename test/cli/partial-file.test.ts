import { deepEqual, equal, rejects } from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { readJsonLines } from '../../src/cli/sheets/sheet-rows.ts';
import { PartialFile, savePieces } from '../../src/cli/terminal/partial-file.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

async function* pieces(onFirst = (): void => {}) {
  yield { chunk: Buffer.from('one ') };
  onFirst();
  yield { chunk: Buffer.from('two') };
}

test('a download cut off by Ctrl-C is not kept', async () => {
  await using folder = await makeTemporaryFolder();
  const interrupt = new AbortController();
  const cutOff = pieces(() => interrupt.abort());
  const saving = savePieces(cutOff, join(folder.path, 'a.srt'), interrupt.signal);
  await rejects(saving, { message: 'interrupted', exitCode: 130 });
  deepEqual(await readdir(folder.path), []);
});

test('a file that is there is not written over unless it is to be replaced', async () => {
  await using folder = await makeTemporaryFolder();
  const path = join(folder.path, 'a.zip');
  await writeFile(path, 'signed');
  const { signal } = new AbortController();
  await rejects(savePieces(pieces(), path, signal), { message: /a\.zip is there already/, exitCode: 1 });
  equal(await readFile(path, 'utf8'), 'signed');
  deepEqual(await readdir(folder.path), ['a.zip']);
  {
    await using file = await PartialFile.replace(path);
    await file.write(Buffer.from('stamped'));
    await file.keep();
  }
  equal(await readFile(path, 'utf8'), 'stamped');
  await savePieces(pieces(), join(folder.path, 'b.zip'), signal);
  equal(await readFile(join(folder.path, 'b.zip'), 'utf8'), 'one two');
});

test('a name that is being written is not free', async () => {
  await using folder = await makeTemporaryFolder();
  const path = join(folder.path, 'map.png');
  await using _first = await PartialFile.create(path);
  equal(await PartialFile.createFree(path), undefined);
});

test('a line of JSON ends with a line break alone', async () => {
  await using folder = await makeTemporaryFolder();
  const path = join(folder.path, 'rows.jsonl');
  const rows = [{ url: 'a.jpg', note: 'one\u2028two\u2029three' }, { url: 'b.jpg' }];
  await writeFile(path, rows.map((row) => `${JSON.stringify(row)}\r\n`).join('\n'));
  const read: object[] = [];
  for await (const row of readJsonLines(path)) read.push(row);
  deepEqual(read, rows);
});

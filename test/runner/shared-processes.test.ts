import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { allTests } from './run-files.ts';
import { shareProcesses, writeSharedProcess } from './shared-processes.ts';

test('a file is in one shared process at most, and none of those that change their process', () => {
  const all = allTests();
  const shared = shareProcesses(all).flatMap(({ files }) => files);
  assert.equal(new Set(shared).size, shared.length);
  assert.ok(shared.length > all.length / 2 && shared.every((file) => all.includes(file)));
  const changing = [
    'test/engine/decode/isolation.test.ts',
    'test/store/private-folder.test.ts',
    'test/faults/held-open.test.ts',
  ];
  assert.deepEqual(
    changing.filter((file) => !all.includes(file) || shared.includes(file)),
    [],
  );
});

test('the names of shared processes differ, and each is of several files', () => {
  const shared = shareProcesses(allTests());
  assert.equal(new Set(shared.map(({ name }) => name)).size, shared.length);
  assert.deepEqual(
    shared.filter(({ files }) => files.length < 2),
    [],
  );
});

test('each test runs in the suite of its file, also behind a module that awaits', async () => {
  await using folder = await makeTemporaryFolder();
  const write = (name: string, text: string) => writeFileSync(join(folder.path, name), text);
  write('package.json', '{"type":"module"}');
  write('slow.js', 'await new Promise((resolve) => setTimeout(resolve, 50));');
  for (const name of ['a', 'b'])
    write(
      `${name}.test.js`,
      `import './slow.js'; import { test } from 'node:test'; test('of ${name}', () => {});`,
    );
  const path = writeSharedProcess({ name: 'both', files: ['a.test.ts', 'b.test.ts'] }, folder.path);
  const { stdout } = spawnSync(process.execPath, ['--test-reporter=spec', path], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });
  assert.match(stdout, /▶ a\.test\.ts\n {2}✔ of a .*\n✔ a\.test\.ts .*\n▶ b\.test\.ts\n {2}✔ of b/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allTests } from './run-files.ts';
import { shareProcesses } from './shared-processes.ts';

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

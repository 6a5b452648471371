/** Every command of other programs that README and docs show has a place where it is run, or a reason. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../cli/shown-lines.ts';
import { ELSEWHERE, RUN, SCRIPT, TOOLS } from './shown-tools.ts';

test('every command of another program is run, or has its reason', () => {
  const undecided = TOOLS.filter(
    ({ line }) => !RUN.test(line) && !ELSEWHERE.some(([begin]) => begin.test(line)),
  );
  assert.deepEqual(undecided, []);
});

test('no reason stands for a command that no document shows', () => {
  const idle = ELSEWHERE.filter(([begin]) => !TOOLS.some(({ line }) => begin.test(line)));
  assert.deepEqual(idle, []);
});

test('every script of npm that the documents show exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
  const shown = TOOLS.flatMap(({ line }) => SCRIPT.exec(line)?.[1] ?? []);
  assert.ok(shown.length > 5);
  assert.deepEqual(
    shown.filter((name) => !(name in scripts)),
    [],
  );
});

test('every program of ours that the documents start exists', () => {
  const shown = TOOLS.flatMap(({ line }) => /(?:^|\/)node (\S+\.ts)/.exec(line)?.[1] ?? []);
  assert.ok(shown.length > 1, 'none is shown');
  assert.deepEqual(
    shown.filter((file) => !existsSync(join(ROOT, file))),
    [],
  );
});

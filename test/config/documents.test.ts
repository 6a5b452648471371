import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DOCUMENTS } from '../../schema/print-settings.ts';
import { loadSettings } from '../../src/config/settings.ts';

const ROOT = join(import.meta.dirname, '..', '..');

for (const document of DOCUMENTS) {
  // The remedy is to run schema/print-settings.ts.
  test(`${document.path} agrees with the table of settings`, () => {
    assert.equal(readFileSync(join(ROOT, document.path), 'utf8'), document.print());
  });
}

test('the example file changes nothing', () => {
  const readFile = () => readFileSync(join(ROOT, 'assay.example.toml'), 'utf8');
  const example = loadSettings({ argv: ['--config', 'assay.example.toml'], env: {}, readFile });
  // The files that settings are read from are left out.
  const said = JSON.stringify(example).replaceAll(JSON.stringify(join(ROOT, 'assay.example.toml')), 'null');
  assert.deepEqual(
    JSON.parse(said),
    JSON.parse(JSON.stringify(loadSettings({ argv: [], env: {}, readFile }))),
  );
});

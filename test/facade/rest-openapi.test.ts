import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { describeInterface } from '../../src/facade/rest/openapi/openapi.ts';

const printed = readFileSync(join(import.meta.dirname, '../../schema/openapi.json'), 'utf8');

test('schema/openapi.json is what schema/print-openapi.ts prints', () => {
  assert.equal(printed, `${JSON.stringify(describeInterface(), null, 2)}\n`);
});

test('every reference leads somewhere', () => {
  const description: Record<string, unknown> = describeInterface();
  for (const [, pointer = ''] of printed.matchAll(/"\$ref": "#\/([^"]+)"/g)) {
    let value: unknown = description;
    for (const key of pointer.split('/')) value = (value as Record<string, unknown>)[key];
    assert.notEqual(value, undefined, pointer);
  }
});

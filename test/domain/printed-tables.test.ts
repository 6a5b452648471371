import { equal } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { test } from 'node:test';
import { PRINTED_TABLES, withTable } from '../../schema/print-tables.ts';

const ROOT = `${import.meta.dirname}/../..`;

for (const { path, print } of PRINTED_TABLES) {
  test(`the table in ${relative(ROOT, path)} is what the code prints`, () => {
    const page = readFileSync(path, 'utf8');
    equal(page, withTable(page, print()));
  });
}

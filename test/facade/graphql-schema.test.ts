import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { printGraphql } from '../../schema/print-graphql.ts';

test('schema/assay.graphql is what the code builds: run node schema/print-graphql.ts after a change', async () => {
  const path = new URL('../../schema/assay.graphql', import.meta.url);
  assert.equal(await readFile(path, 'utf8'), printGraphql());
});

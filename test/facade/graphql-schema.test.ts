import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { buildSchema, printSchema } from 'graphql';
import { printGraphql } from '../../schema/print-graphql.ts';

test('schema/assay.graphql is what the code builds: run schema/print-graphql.ts after a change', async () => {
  const path = new URL('../../schema/assay.graphql', import.meta.url);
  // Read and printed again: the formatter lays descriptions out in its own way.
  const kept = printSchema(buildSchema(await readFile(path, 'utf8')));
  assert.equal(`${kept}\n`, printGraphql());
});

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { buildSchema, isObjectType, printSchema } from 'graphql';
import { printGraphql } from '../../schema/print-graphql.ts';

test('schema/assay.graphql is what the code builds: run schema/print-graphql.ts after a change', async () => {
  const path = new URL('../../schema/assay.graphql', import.meta.url);
  // Read and printed again: the formatter lays descriptions out in its own way.
  const kept = printSchema(buildSchema(await readFile(path, 'utf8')));
  assert.equal(`${kept}\n`, printGraphql());
});

/** The names of docs/interface.md in camelCase, beside those that they replace. */
const RENAMED: [type: string, before: string, now: string][] = [
  ['ModelResult', 'elapsedSeconds', 'elapsedTime'],
  ['Clip', 'startSeconds', 'start'],
  ['Clip', 'endSeconds', 'end'],
  ['TentativeClip', 'startSeconds', 'start'],
  ['TentativeClip', 'endSeconds', 'end'],
  ['ImageClassification', 'sizeBytes', 'filesize'],
  ['AudioClassification', 'mime', 'mimetype'],
  ['VideoClassification', 'mime', 'mimetype'],
  ['MediaValidation', 'sizeBytes', 'filesize'],
  ['MediaValidation', 'mime', 'mimetype'],
  ['Rendition', 'mime', 'mimetype'],
];

test('the documented names are there, and earlier names are deprecated for them', () => {
  const schema = buildSchema(printGraphql());
  for (const [typeName, before, now] of RENAMED) {
    const type = schema.getType(typeName);
    assert.ok(isObjectType(type), typeName);
    const fields = type.getFields();
    assert.equal(fields[now]?.deprecationReason, undefined, `${typeName}.${now}`);
    assert.equal(String(fields[now]?.type), String(fields[before]?.type), `${typeName}.${now}`);
    assert.equal(fields[before]?.deprecationReason, `Renamed to ${now}; goes with the next release.`);
  }
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isObjectType, parse } from 'graphql';
import { faultsOf, readDocuments } from '../../schema/page-documents.ts';
import { ANALYSES_PATH, printAnalyses } from '../../schema/print-analyses.ts';
import { DOCUMENTS_PATH, printDocuments } from '../../schema/print-page.ts';
import { getSchema } from '../../src/facade/graphql/schema.ts';

test('page/gen is what schema/ prints', () => {
  assert.equal(readFileSync(DOCUMENTS_PATH, 'utf8'), printDocuments());
  assert.equal(readFileSync(ANALYSES_PATH, 'utf8'), printAnalyses());
});

test('every document of the page holds against the schema and the bounds of an operation', () => {
  assert.deepEqual(faultsOf(readDocuments()), []);
});

test('a field that the schema lacks, and an operation that is too deep, are reported', () => {
  assert.match(faultsOf(parse('query A { viewer { nickname } }')).join(), /Cannot query field "nickname"/);
  const partners = `${'partner { '.repeat(12)}id${' }'.repeat(12)}`;
  assert.match(faultsOf(parse(`query B { viewer { user { ${partners} } } }`)).join(), /depth/);
});

test('a result asks for every option of its record', () => {
  const type = getSchema().getType('AnalysisOptions');
  assert.ok(isObjectType(type));
  const [, asked = ''] =
    /fragment AllOfAnalysisOptions on AnalysisOptions\{([^}]*)\}/.exec(printDocuments()) ?? [];
  assert.deepEqual(asked.split(' ').sort(), Object.keys(type.getFields()).sort());
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getIntrospectionQuery, parse, specifiedRules, validate } from 'graphql';
import { getSchema } from '../../src/facade/graphql/schema.ts';
import { OperationLimitsRule, TOKENS_MAX } from '../../src/facade/graphql/transport/limits.ts';

const FULL_IMAGE = `fragment Full on ImageClassification {
  identifier kind hash apiVersion status errors name refId resultUrl forceClassification mimetype filesize sourceUrl
  origin credits createdAt endedAt cancelled width height isNsfw c2pa hasHeatmap heatmapUrl
  options { withHeatmap frames } progress { step done total }
  verdict { ...V } verdicts { ...V } results { ...R } details { detections { box { x1 y1 x2 y2 } results { ...R } } }
  assessment { state probability reasons { code sentence } stability { flips variants { name logOdds } } }
}
fragment V on Verdict { heuristic confidence classification models }
fragment R on ModelResult { model version axis device unknown reason elapsedTime classification { label score } }`;

const NESTED_FRAGMENTS = `query { viewer { ...F0 } } ${Array.from(
  { length: 40 },
  (_, index) => `fragment F${index} on Viewer { ...F${index + 1} ...F${index + 1} }`,
).join(' ')} fragment F40 on Viewer { id plan { name } }`;

const CASES: { name: string; query: string; refused: RegExp | null }[] = [
  { name: 'introspection', query: getIntrospectionQuery(), refused: null },
  {
    name: 'a default page of full images',
    query: `{ classifications { nodes { ...Full } } } ${FULL_IMAGE}`,
    refused: null,
  },
  {
    name: 'a largest page of full images',
    query: `{ classifications(first: 100) { nodes { ...Full } } } ${FULL_IMAGE}`,
    refused: null,
  },
  {
    name: 'many largest pages',
    query: `{ ${Array.from({ length: 9 }, (_, index) => `p${index}: classifications(first: 100) { nodes { ...Full } }`).join(' ')} } ${FULL_IMAGE}`,
    refused: /cost/,
  },
  {
    name: 'a page by variable counts as the largest',
    query: `query Q($n: Int) { ${Array.from({ length: 9 }, (_, index) => `p${index}: classifications(first: $n) { nodes { ...Full } }`).join(' ')} } ${FULL_IMAGE}`,
    refused: /cost/,
  },
  {
    name: 'a page of less than nothing pays for no other',
    query: `{ p: classifications(first: -2147483648) { nodes { identifier } } ${Array.from({ length: 9 }, (_, index) => `p${index}: classifications(first: 100) { nodes { ...Full } }`).join(' ')} } ${FULL_IMAGE}`,
    refused: /cost/,
  },
  {
    name: 'aliases',
    query: `{ viewer { ${Array.from({ length: 16 }, (_, index) => `a${index}: id`).join(' ')} } }`,
    refused: /aliases 16/,
  },
  {
    name: 'aliases of the schema itself',
    query: `{ __schema { ${Array.from({ length: 16 }, (_, index) => `a${index}: types { ...T }`).join(' ')} } } fragment T on __Type { name }`,
    refused: /aliases 16/,
  },
  { name: 'root fields', query: `{ ${'viewer { id } '.repeat(11)} }`, refused: /root fields 11/ },
  { name: 'doubling fragments', query: NESTED_FRAGMENTS, refused: /cost/ },
  {
    name: 'a fragment in itself',
    query: '{ viewer { ...A } } fragment A on Viewer { id ...A }',
    refused: /spread fragment/,
  },
];

for (const { name, query, refused } of CASES) {
  test(`limits: ${name}`, () => {
    const errors = validate(getSchema(), parse(query, { maxTokens: TOKENS_MAX }), [
      ...specifiedRules,
      OperationLimitsRule,
    ]);
    const messages = errors.map(({ message }) => message).join('\n');
    if (refused === null) assert.equal(messages, '');
    else assert.match(messages, refused);
  });
}

test('limits: tokens', () => {
  assert.throws(() => parse(`{ ${'a '.repeat(TOKENS_MAX)} }`, { maxTokens: TOKENS_MAX }), /tokens/);
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { describeCollection } from '../../schema/postman-collection.ts';
import { describeInterface } from '../../src/facade/rest/openapi/openapi.ts';

const printed = readFileSync(join(import.meta.dirname, '../../schema/openapi.json'), 'utf8');

test('schema/openapi.json is what schema/print-openapi.ts prints', () => {
  assert.equal(printed, `${JSON.stringify(describeInterface(), null, 2)}\n`);
});

test('the Postman collection is what schema/print-postman.ts prints, with a request for each operation', () => {
  const path = join(import.meta.dirname, '../../schema/assay.postman_collection.json');
  const text = readFileSync(path, 'utf8');
  const description = describeInterface();
  assert.equal(text, `${JSON.stringify(describeCollection(description), null, 2)}\n`);
  const { item: folders } = JSON.parse(text) as { item: { item: { name: string }[] }[] };
  const requests = folders.flatMap(({ item }) => item.map(({ name }) => name));
  const operations = Object.entries(description.paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  assert.deepEqual(requests.sort(), operations.sort());
});

test('what the addresses and the headers of the collection ask for are variables of it, with a value or the key', () => {
  const collection = JSON.stringify(describeCollection(describeInterface()));
  const { variable } = JSON.parse(collection) as { variable: { key: string; value: string }[] };
  const asked = [...collection.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name);
  assert.deepEqual([...new Set(asked)].sort(), variable.map(({ key }) => key).sort());
  assert.deepEqual(
    variable.filter(({ value }) => value === '').map(({ key }) => key),
    ['apiKey'],
  );
});

test('every reference leads somewhere', () => {
  const description: Record<string, unknown> = describeInterface();
  for (const [, pointer = ''] of printed.matchAll(/"\$ref": "#\/([^"]+)"/g)) {
    let value: unknown = description;
    for (const key of pointer.split('/')) value = (value as Record<string, unknown>)[key];
    assert.notEqual(value, undefined, pointer);
  }
});

test('a default is one of the words that its field takes', () => {
  const strays: unknown[] = [];
  JSON.parse(printed, (key, value: { enum?: unknown[]; default?: unknown } | null) => {
    if (Array.isArray(value?.enum) && 'default' in value && !value.enum.includes(value.default))
      strays.push([key, value.default]);
    return value;
  });
  assert.deepEqual(strays, []);
});

test('an answer that may be JSON is described as JSON first, which generated clients ask for and read it as', () => {
  const posts = Object.entries(describeInterface().paths as Record<string, { post?: Operation }>);
  const types = posts.flatMap(([path, { post }]) => {
    const content = Object.keys(post?.responses['200']?.content ?? {});
    return content.includes('text/plain') ? [[path, ...content]] : [];
  });
  assert.ok(types.length > 0);
  for (const [path, ...content] of types) assert.deepEqual(content, ['application/json', 'text/plain'], path);
});

interface Operation {
  responses: Readonly<Record<string, { content?: object }>>;
}

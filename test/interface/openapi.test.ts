/** The description itself: complete against docs/interface.md and the routes, and its examples fit its own schemas. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { assertDescribed, assertFits, templateOf } from './description.ts';
import { type Service, shareService } from './service.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document of any shape
type Json = any;
const printed: Json = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../schema/openapi.json'), 'utf8'),
);

let service: Service;
before(async () => {
  service = await shareService();
});
after(async () => await service[Symbol.asyncDispose]());

/** Every endpoint of docs/interface.md, written out, so that one taken away is missed. */
const DOCUMENTED: [method: string, path: string][] = [
  ['post', '/api/validate'],
  ['post', '/api/classification'],
  ['post', '/api/classification_image'],
  ['post', '/api/image_fromurl'],
  ['post', '/api/classification_audio'],
  ['post', '/api/audio_fromurl'],
  ['post', '/api/video_fromurl'],
  ['post', '/api/classification_video'],
  ['get', '/api/classification/{identifier}'],
  ['get', '/api/classification_image/{identifier}'],
  ['get', '/api/classification_video/{identifier}'],
  ['get', '/api/classification_audio/{identifier}'],
  ['get', '/api/classifications'],
  ['get', '/api/classifications_image'],
  ['get', '/api/classifications_video'],
  ['get', '/api/classifications_audio'],
  ['get', '/api/classification/heatmap/{identifier}'],
  ['get', '/api/classification_image/heatmap/{identifier}'],
  ['post', '/api/classification/{hash}/override'],
  ['post', '/api/classification_image/{hash}/override'],
  ['post', '/api/classification_video/{hash}/override'],
  ['post', '/api/classification_audio/{hash}/override'],
  ['get', '/api/user/credits'],
  ['post', '/api/partner/send_creation_email'],
  ['get', '/api/partner/users'],
  ['post', '/api/user'],
  ['delete', '/api/user'],
];

test('every documented endpoint is described, and no other under /api', () => {
  const described = Object.entries(printed.paths).flatMap(([path, methods]) =>
    Object.keys(methods as object).map((method) => `${method} ${path}`),
  );
  assert.deepEqual(
    described.filter((line) => line.includes('/api/')).sort(),
    DOCUMENTED.map((row) => row.join(' ')).sort(),
  );
});

test('every described path is served', async () => {
  for (const [path, methods] of Object.entries<Json>(printed.paths)) {
    for (const method of Object.keys(methods)) {
      const url = service.url + path.replace(/\{\w+\}/g, '0'.repeat(64));
      const response = await fetch(url, { method: method.toUpperCase() });
      const text = await response.text();
      assert.ok(!text.includes('there is nothing at'), `${method} ${path}: ${response.status}`);
    }
  }
});

test('every operation has a name of its own, a summary, a tag that is described and its errors', () => {
  const names = new Set<string>();
  const tags = printed.tags.map(({ name }: { name: string }) => name);
  for (const [path, methods] of Object.entries<Json>(printed.paths)) {
    for (const [method, operation] of Object.entries<Json>(methods)) {
      assert.ok(!names.has(operation.operationId), operation.operationId);
      names.add(operation.operationId);
      assert.notEqual(operation.summary ?? '', '', `${method} ${path}`);
      assert.ok(operation.tags.every((tag: string) => tags.includes(tag)));
      if (!path.startsWith('/api/')) continue;
      for (const status of ['401', '403', '429'])
        assert.ok(status in operation.responses, `${path} ${status}`);
    }
  }
});

/** Every pair of an example and the schema beside it, wherever they stand. */
function* examplesOf(value: Json, path: string): Generator<[path: string, schema: Json, example: unknown]> {
  if (typeof value !== 'object' || value === null) return;
  if (value.schema !== undefined) {
    if (value.example !== undefined) yield [path, value.schema, value.example];
    for (const [name, { value: example }] of Object.entries<Json>(value.examples ?? {}))
      yield [`${path}/${name}`, value.schema, example];
  }
  for (const [key, inner] of Object.entries(value)) yield* examplesOf(inner, `${path}/${key}`);
}

test('every example fits its schema', () => {
  let count = 0;
  for (const [path, schema, example] of examplesOf(printed, '')) {
    const choices: Json[] = schema.oneOf ?? schema.anyOf ?? [schema];
    const named = choices.map((choice) => choice.$ref?.split('/').at(-1)).filter(Boolean);
    if (named.length === 0) continue;
    count += 1;
    const faults = named.flatMap((name) => {
      try {
        assertFits(name, example);
        return [];
      } catch (error) {
        return [(error as Error).message];
      }
    });
    assert.ok(faults.length < named.length, `${path}: ${faults.join('\n')}`);
  }
  assert.ok(count > 40, `${count} examples`);
});

test('every submission form has an example with the fields it names', () => {
  for (const [path, methods] of Object.entries<Json>(printed.paths)) {
    const form = methods.post?.requestBody?.content['multipart/form-data'];
    if (form === undefined) continue;
    const fields = Object.keys(form.schema.properties);
    const given = Object.keys(form.example ?? {});
    assert.ok(given.length > 0, path);
    assert.deepEqual(
      given.filter((name) => !fields.includes(name)),
      [],
      path,
    );
    for (const name of form.schema.required) assert.ok(given.includes(name), `${path}: ${name}`);
  }
});

test('the webhook is described with its headers and its body', () => {
  const { classificationEnded } = printed.webhooks;
  const headers = classificationEnded.post.parameters.map(({ name }: { name: string }) => name);
  assert.deepEqual(headers, ['webhook-id', 'webhook-timestamp', 'webhook-signature']);
  const { schema, examples } = classificationEnded.post.requestBody.content['application/json'];
  assert.equal(schema.anyOf.length, 3);
  assertFits('ImageClassification', examples.image.value);
});

test('no tag is that of a path and of a webhook: generators make one file of each, and the later one would win', () => {
  const tagsOf = (items: object): string[] =>
    Object.values(items).flatMap((item) =>
      Object.values(item as object).flatMap((operation) => (operation as { tags?: string[] }).tags ?? []),
    );
  const ofPaths = new Set(tagsOf(printed.paths));
  const ofWebhooks = tagsOf(printed.webhooks);
  assert.ok(ofWebhooks.length > 0);
  assert.deepEqual(
    ofWebhooks.filter((tag) => ofPaths.has(tag)),
    [],
  );
  const named = printed.tags.map(({ name }: { name: string }) => name);
  assert.deepEqual([...new Set([...ofPaths, ...ofWebhooks])].sort(), named.sort());
});

test('the check of answers finds a field too many, a field too few and a status that is not described', () => {
  const seen = { method: 'GET', path: '/api/user/credits', status: 200, contentType: 'application/json' };
  const credits = { available_credits: 1, total_spent: 0 };
  assertDescribed({ ...seen, body: credits });
  assert.throws(() => assertDescribed({ ...seen, body: { ...credits, more: 1 } }), /additional/);
  assert.throws(() => assertDescribed({ ...seen, body: { available_credits: 1 } }), /required/);
  assert.throws(() => assertDescribed({ ...seen, status: 418, body: credits }), /status is not described/);
  assert.throws(
    () => assertDescribed({ ...seen, contentType: 'text/html', body: '' }),
    /type is not described/,
  );
  assert.equal(
    templateOf('/api/classification/heatmap/abc', 'GET'),
    '/api/classification/heatmap/{identifier}',
  );
});

/** Protos and schema come from the box, off loopback with a credential only. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { buildSchema } from 'graphql';
import { type OpenBox, openBox } from '../app/open-box.ts';
import { TEST_KEY } from '../daemon.ts';

/** It comes without types. */
const { fromBufferPromise } = createRequire(import.meta.url)('yauzl');
const ROOT = join(import.meta.dirname, '..', '..');
const PATHS = ['/proto.zip', '/schema.graphql'] as const;

let local: OpenBox;
let remote: OpenBox;
before(async () => {
  [local, remote] = await Promise.all([
    openBox({ models: 'tiny', awaitReady: false }),
    openBox({ models: 'tiny', awaitReady: false, env: { ASSAY_BEHIND_PROXY: 'true' } }),
  ]);
});
after(async () => {
  await Promise.all([local, remote].map((daemon) => daemon[Symbol.asyncDispose]()));
});

test('the protos come as they import one another, and nothing else of the box', async () => {
  const response = await fetch(`${local.http}/proto.zip`);
  assert.equal(response.headers.get('content-type'), 'application/zip');
  const zip = await fromBufferPromise(Buffer.from(await response.arrayBuffer()));
  const texts = new Map<string, string>();
  for await (const entry of zip.eachEntry()) {
    texts.set(entry.fileName, (await buffer(await zip.openReadStreamPromise(entry))).toString('utf8'));
  }
  assert.ok(texts.size > 9, `${[...texts.keys()]}`);
  for (const [path, text] of texts) {
    assert.match(path, /^(?:assay\/v1|google\/rpc)\/\w+\.proto$/);
    assert.equal(text, readFileSync(join(ROOT, 'proto', path), 'utf8'));
    const imports = [...text.matchAll(/^import "(.+)";$/gm)].map(([, name = '']) => name);
    const missing = imports.filter((name) => !name.startsWith('google/protobuf/') && !texts.has(name));
    assert.deepEqual(missing, [], path);
  }
});

test('the schema is one, with descriptions', async () => {
  const response = await fetch(`${local.http}/schema.graphql`);
  const text = await response.text();
  assert.ok(buildSchema(text).getQueryType()?.getFields().viewer !== undefined);
  assert.match(text, /"""/);
});

test('an unchanged document is not sent again', async () => {
  for (const path of PATHS) {
    const etag = (await fetch(local.http + path)).headers.get('etag') ?? '';
    const again = await fetch(local.http + path, { headers: { 'if-none-match': etag } });
    assert.equal(again.status, 304, path);
  }
});

test('off loopback they are for who may use the interface', async () => {
  for (const path of PATHS) {
    const ask = async (headers: Record<string, string>) =>
      (await fetch(remote.http + path, { headers })).status;
    assert.equal(await ask({}), 401, path);
    assert.equal(await ask({ 'x-api-key': 'wrong' }), 401, path);
    assert.equal(await ask({ 'x-api-key': TEST_KEY }), 200, path);
    assert.equal(await ask({ authorization: `Bearer ${TEST_KEY}` }), 200, path);
  }
});

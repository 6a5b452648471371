import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { RenditionStore } from '../../src/store/rendition-store.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const FIGURES = { kind: 'picture', width: 3, height: 2 } as const;
const NEVER = new AbortController().signal;

interface Stage extends AsyncDisposable {
  path: string;
  sources: Set<string>;
  store: RenditionStore;
  put(owner: string, bytes: number): Promise<boolean>;
}

async function openStage(): Promise<Stage> {
  const folder = await makeTemporaryFolder();
  const sources = new Set<string>();
  const store = new RenditionStore(folder.path, (owner) => sources.has(owner));
  await store.prepare();
  const put = async (owner: string, bytes: number): Promise<boolean> => {
    const source = { sizeBytes: bytes, chunks: () => Readable.from([Buffer.alloc(bytes, 7)]) };
    const files = [{ name: 'picture.webp', source }];
    return (await store.put(owner, 'picture', { figures: FIGURES, files })) !== undefined;
  };
  return {
    ...{ path: folder.path, sources, store, put },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test('a rendition is found again, also by the next daemon; one without its source is not', async () => {
  await using stage = await openStage();
  const { store, sources, put, path } = stage;
  sources.add('a').add('b');
  assert.ok((await put('a', 1000)) && (await put('b', 1000)));
  assert.equal(await put('c', 1000), false, 'the source went while it was made');
  const found = await store.find('a', 'picture');
  assert.deepEqual(found?.figures, FIGURES);
  assert.equal(found?.files[0]?.sizeBytes, 1000);
  assert.match(found?.files[0]?.hash ?? '', /^[0-9a-f]{64}$/);
  sources.delete('b');
  await mkdir(join(path, 'renditions', '.partial-1'));
  const next = new RenditionStore(path, (owner) => sources.has(owner));
  await next.prepare();
  assert.equal(await next.sweep(NEVER), 1);
  assert.deepEqual(await readdir(join(path, 'renditions')), ['a']);
  assert.ok(next.sizeBytes > 1000 && next.sizeBytes < 2000, String(next.sizeBytes));
  assert.ok(await next.find('a', 'picture'));
});

test('a rendition that does not read back counts as absent', async () => {
  await using stage = await openStage();
  stage.sources.add('a');
  await stage.put('a', 10);
  const folder = dirname((await stage.store.find('a', 'picture'))?.files[0]?.path ?? '');
  await writeFile(join(folder, 'manifest.json'), '{"recipe":1,"fig');
  assert.equal(await stage.store.find('a', 'picture'), undefined);
  assert.ok(await stage.put('a', 20));
  assert.equal((await stage.store.find('a', 'picture'))?.files[0]?.sizeBytes, 20);
});

test('the least recently used renditions go first, and the newest stays whatever its size', async () => {
  await using stage = await openStage();
  const { store, sources, put } = stage;
  for (const owner of ['a', 'b', 'c']) {
    sources.add(owner);
    await put(owner, 4000);
  }
  assert.equal(await store.trim(9000, { owner: 'c', name: 'picture' }), 1);
  assert.equal(await store.find('a', 'picture'), undefined);
  assert.equal(await store.trim(10, { owner: 'c', name: 'picture' }), 1);
  assert.ok(await store.find('c', 'picture'));
  await store.removeAll('c');
  assert.equal(store.sizeBytes, 0);
});

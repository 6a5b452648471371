/** The same behaviour by every way into a real daemon: REST, GraphQL, gRPC and the command line. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { type OpenBox, openBox } from '../app/open-box.ts';
import { TEST_KEY } from '../daemon.ts';
import { REFUSED } from './cases.ts';
import { toWhole, type WholeRecord } from './media-record.ts';
import { type Caller, granted, refused } from './ways/caller.ts';
import { FACADES, openCaller } from './ways/stage.ts';

const stack = new AsyncDisposableStack();
let daemon: OpenBox;
let callers: Caller[] = [];

before(async () => {
  daemon = stack.use(await openBox({ models: 'tiny' }));
  callers = callersWith(TEST_KEY);
});

after(() => stack.disposeAsync());

function callersWith(key: string): Caller[] {
  const target = { url: daemon.http, grpc: daemon.grpc };
  return FACADES.map((facade) => stack.use(openCaller(target, facade, key)));
}

/** Makes a picture that was never analysed. */
async function freshPicture(): Promise<Buffer> {
  const width = 400;
  const height = 300;
  const channels = 3;
  return await sharp(randomBytes(width * height * channels), { raw: { width, height, channels } })
    .blur(2)
    .jpeg({ quality: 85 })
    .toBuffer();
}

async function readByAll(identifier: string): Promise<WholeRecord[]> {
  return await Promise.all(callers.map(async (caller) => granted(await caller.read('image', identifier))));
}

test('a picture is classified by every facade, and all read the same record', async (t) => {
  for (const caller of callers) {
    await t.test(`submitted by ${caller.name}`, async () => {
      const options = { name: 'desk.jpg', refId: 'desk-7', withHeatmap: true };
      const record = granted(await caller.classify('image', await freshPicture(), options));
      assert.equal(record.status, 'done');
      assert.equal(record.apiVersion, '1.1.0');
      assert.equal(record.name, 'desk.jpg');
      assert.equal(record.refId, 'desk-7');
      assert.equal(record.verdicts.length, 4);
      assert.equal(record.hasHeatmap, true);
      for (const same of await readByAll(record.identifier)) assert.deepEqual(same, record);
    });
  }
});

test('the command line prints the same record', async () => {
  const path = join(daemon.folder, 'photo.jpg');
  await writeFile(path, await freshPicture());
  const { out } = await daemon.assay('classify', path, '--json');
  const printed = toWhole(JSON.parse(out));
  assert.equal(printed.status, 'done');
  for (const same of await readByAll(printed.identifier)) assert.deepEqual(same, printed);
});

for (const { name, file, bytes: makeBytes, code, reason, status } of REFUSED) {
  test(`${name} is refused as documented`, async (t) => {
    const bytes = await makeBytes();
    for (const caller of callers) {
      await t.test(`by ${caller.name}`, async () => {
        const fault = refused(await caller.classify('image', bytes, { name: file }));
        assert.equal(fault.code, code);
        assert.equal(fault.reason, caller.name === 'REST' ? String(status) : reason);
        assert.notEqual(fault.field, '');
      });
    }
  });
}

test('a wrong key is refused by every facade', async () => {
  const bytes = await freshPicture();
  for (const caller of callersWith('assay_wrong')) {
    assert.equal(refused(await caller.classify('image', bytes)).code, 'unauthenticated', caller.name);
  }
});

test('an unknown identifier is not found by any facade', async () => {
  for (const caller of callers) {
    assert.equal(refused(await caller.read('image', '0'.repeat(64))).code, 'not_found', caller.name);
  }
});

test('the same file again is answered from the cache, under another identifier', async () => {
  const bytes = await freshPicture();
  const [first, ...others] = callers;
  assert.ok(first !== undefined);
  const original = granted(await first.classify('image', bytes));
  for (const caller of others) {
    const again = granted(await caller.classify('image', bytes));
    assert.notEqual(again.identifier, original.identifier);
    assert.deepEqual(again.verdicts, original.verdicts);
    assert.equal(again.status, 'done');
  }
});

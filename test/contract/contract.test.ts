/**
 * The same behaviour by every way into a real daemon: REST, GraphQL, gRPC and the command line.
 *
 * Invariant: every way in gives the same record, and the same refusal for the same fault.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { TEST_KEY, TestDaemon } from '../daemon.ts';
import { REFUSED } from './cases.ts';
import { GraphqlWay } from './ways/graphql-way.ts';
import { GrpcWay, sharedFromJson } from './ways/grpc-way.ts';
import type { SharedRecord, Way } from './ways/outcome.ts';
import { RestWay } from './ways/rest-way.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');
let daemon: TestDaemon;
let ways: Way[] = [];
let grpc: GrpcWay;

before(async () => {
  daemon = await TestDaemon.start({ models: 'tiny' });
  grpc = new GrpcWay(daemon.grpc, TEST_KEY);
  ways = [new RestWay(daemon.http, TEST_KEY), new GraphqlWay(daemon.http, TEST_KEY), grpc];
});

after(async () => {
  grpc[Symbol.dispose]();
  await daemon[Symbol.asyncDispose]();
});

/** A picture that nothing has analysed before. */
async function freshPicture(): Promise<Buffer> {
  const width = 400;
  const height = 300;
  const channels = 3;
  return await sharp(randomBytes(width * height * channels), { raw: { width, height, channels } })
    .blur(2)
    .jpeg({ quality: 85 })
    .toBuffer();
}

async function classify(way: Way, name: string, options = {}): Promise<SharedRecord> {
  const outcome = await way.classify({ bytes: await freshPicture(), name, refId: 'desk-7', ...options });
  if ('fault' in outcome) assert.fail(`${way.name}: ${JSON.stringify(outcome.fault)}`);
  return outcome.record;
}

async function readByAllWays(identifier: string): Promise<SharedRecord[]> {
  const outcomes = await Promise.all(ways.map((way) => way.read(identifier)));
  return outcomes.map((outcome) => {
    if ('fault' in outcome) assert.fail(JSON.stringify(outcome.fault));
    return outcome.record;
  });
}

test('a picture is classified by every facade, and all read the same record', async (t) => {
  for (const [index, name] of ['REST', 'GraphQL', 'gRPC'].entries()) {
    await t.test(`submitted by ${name}`, async () => {
      const way = ways[index];
      assert.ok(way !== undefined);
      const record = await classify(way, 'desk.jpg', { withHeatmap: true });
      assert.equal(record.status, 'done');
      assert.equal(record.apiVersion, '1.1.0');
      assert.equal(record.name, 'desk.jpg');
      assert.equal(record.refId, 'desk-7');
      assert.equal(record.verdicts.length, 4);
      assert.equal(record.hasHeatmap, true);
      for (const same of await readByAllWays(record.identifier)) assert.deepEqual(same, record);
    });
  }
});

test('the command line prints the same record', async () => {
  const path = join(daemon.folder, 'photo.jpg');
  await writeFile(path, await freshPicture());
  const env = { PATH: process.env.PATH, ASSAY_ADDRESS: daemon.grpc, ASSAY_API_KEY: TEST_KEY };
  const { stdout } = await run(join(root, 'bin', 'assay'), ['classify', path, '--json'], { env });
  const printed = sharedFromJson(JSON.parse(stdout));
  assert.equal(printed.status, 'done');
  for (const same of await readByAllWays(printed.identifier)) assert.deepEqual(same, printed);
});

for (const refused of REFUSED) {
  test(`${refused.name} is refused as documented`, async (t) => {
    const bytes = await refused.bytes();
    for (const [index, name] of ['REST', 'GraphQL', 'gRPC'].entries()) {
      await t.test(`by ${name}`, async () => {
        const outcome = await ways[index]?.classify({ bytes, name: refused.file });
        assert.ok(outcome !== undefined && 'fault' in outcome, JSON.stringify(outcome));
        assert.equal(outcome.fault.code, refused.code);
        assert.equal(outcome.fault.reason, name === 'REST' ? String(refused.status) : refused.reason);
        assert.notEqual(outcome.fault.field, '');
      });
    }
  });
}

test('a wrong key is refused by every facade', async () => {
  const bytes = await freshPicture();
  for (const way of ways) {
    const outcome = await way.withKey('assay_wrong').classify({ bytes, name: 'a.jpg' });
    assert.ok('fault' in outcome, way.name);
    assert.equal(outcome.fault.code, 'unauthenticated', way.name);
  }
});

test('an unknown identifier is not found by any facade', async () => {
  for (const way of ways) {
    const outcome = await way.read('0'.repeat(64));
    assert.ok('fault' in outcome, way.name);
    assert.equal(outcome.fault.code, 'not_found', way.name);
  }
});

test('the same file again is answered from the cache, by another identifier', async () => {
  const bytes = await freshPicture();
  const [first, ...others] = ways;
  assert.ok(first !== undefined);
  const original = await first.classify({ bytes, name: 'first.jpg' });
  assert.ok('record' in original);
  for (const way of others) {
    const again = await way.classify({ bytes, name: 'again.jpg' });
    assert.ok('record' in again, way.name);
    assert.notEqual(again.record.identifier, original.record.identifier);
    assert.deepEqual(again.record.verdicts, original.record.verdicts);
    assert.equal(again.record.status, 'done');
  }
});

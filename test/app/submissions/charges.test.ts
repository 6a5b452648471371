import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { getCredits } from '../../../src/app/accounts/credits.ts';
import { createPlan } from '../../../src/app/accounts/plans.ts';
import { grantCredits } from '../../../src/app/accounts/users.ts';
import type { Principal } from '../../../src/app/callers/principal.ts';
import { retryClassification } from '../../../src/app/records/classifications.ts';
import { watchClassification } from '../../../src/app/records/watch.ts';
import { submitMedia } from '../../../src/app/submissions/submit.ts';
import { submitUpload } from '../../../src/app/submissions/submit-upload.ts';
import { appendUpload, beginUpload, finishUpload } from '../../../src/app/submissions/unfinished-uploads.ts';
import { receiveMedia } from '../../../src/app/submissions/uploads.ts';
import type { ClassificationRecord } from '../../../src/domain/answers/record.ts';
import { tinyModels } from '../../daemon.ts';
import { patternImage } from '../../media/pictures.ts';
import { addUser, type OpenApp, openApp, principalOf } from '../open-app.ts';

const NEVER = new AbortController().signal;
let open: OpenApp;
before(async () => {
  open = await openApp({ ...(await tinyModels()), ASSAY_FETCH_ALLOW_NETWORKS: '127.0.0.0/8' });
  while (open.app.engine.phase === 'starting') await new Promise((resolve) => setTimeout(resolve, 50));
});
after(async () => {
  await open[Symbol.asyncDispose]();
});

/** An account with credits under a plan in which a picture costs 2, its heatmap 3 more. */
async function payer(credits: number): Promise<Principal> {
  const { app, admin } = open;
  const fields = { image_credits: 2, option_credits: { heatmap: 3 }, options: 'heatmap' };
  const plan = await createPlan(app, {
    principal: admin,
    fields: { ...fields, name: `Plan ${app.clock.now()}` },
  });
  const { id } = await addUser(app, admin, { pricing_id: plan.id });
  await grantCredits(app, { principal: admin, id, amount: credits, note: '' });
  return principalOf(app, id);
}

async function* asPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function submit(
  principal: Principal,
  fields: Record<string, unknown>,
  width = 300,
): Promise<ClassificationRecord> {
  const { app } = open;
  const input = { principal, facade: 'rest', kind: 'image', field: 'image', fields } as const;
  if ('file_url' in fields) return await submitMedia(app, { ...input, media: undefined }, NEVER);
  const bytes = await patternImage(width, 300).png().toBuffer();
  const upload = { principal, field: 'image', name: 'a.png', bytes: asPieces(bytes) };
  await using media = await receiveMedia(app, upload, NEVER);
  return await submitMedia(app, { ...input, media }, NEVER);
}

async function ended(principal: Principal, identifier: string): Promise<ClassificationRecord> {
  for await (const record of watchClassification(open.app, { principal, identifier }, NEVER)) {
    if (record.status !== 'new') return record;
  }
  throw new Error('the record did not end');
}

function assertCredits(principal: Principal, available: number, spent: number): void {
  const { app } = open;
  assert.deepEqual(getCredits(app, { principal }), { availableCredits: available, totalSpent: spent });
  const sum = app.store.read.ledger(principal.account.id).reduce((total, { amount }) => total + amount, 0);
  assert.equal(sum, available);
}

test('a picture costs its kind and its options; the cache costs nothing; 402 names the figures', async () => {
  const principal = await payer(9);
  const first = await submit(principal, { with_heatmap: true, with_nsfw: true });
  assert.equal(first.credits, 5);
  assert.equal(first.options.withNsfw, false, 'the plan does not enable it');
  assertCredits(principal, 4, 5);
  await ended(principal, first.identifier);
  const cached = await submit(principal, { with_heatmap: true });
  assert.deepEqual([cached.status, cached.origin, cached.credits], ['done', 'cached', 0]);
  assertCredits(principal, 4, 5);
  await assert.rejects(submit(principal, { with_heatmap: true }, 301), {
    reason: 'credits',
    message: 'the submission costs 5 credits, 4 are left',
    metadata: { needed_credits: '5', available_credits: '4' },
  });
  assertCredits(principal, 4, 5);
  assert.equal((await submit(principal, {}, 301)).credits, 2);
  assertCredits(principal, 2, 7);
});

test('a failure gives back what it took, and a retry takes it again, once', async () => {
  const server = createServer((_request, response) => response.writeHead(404).end());
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const address = listening.address();
  assert.ok(address !== null && typeof address !== 'string');
  try {
    const principal = await payer(2);
    const fileUrl = `http://127.0.0.1:${address.port}/a.png`;
    const { identifier } = await submit(principal, { file_url: fileUrl });
    assert.equal((await ended(principal, identifier)).status, 'errored');
    assertCredits(principal, 2, 0);
    const retries = await Promise.allSettled(
      [1, 2, 3].map(() => retryClassification(open.app, { principal, identifier })),
    );
    const done = retries.filter(({ status }) => status === 'fulfilled');
    assert.equal(done.length, 1, JSON.stringify(retries));
    await ended(principal, identifier);
    assertCredits(principal, 2, 0);
    const reasons = open.app.store.read.ledger(principal.account.id).map(({ reason }) => reason);
    assert.deepEqual(reasons, ['grant', 'charge', 'refund', 'charge', 'refund']);
    await grantCredits(open.app, { principal: open.admin, id: principal.account.id, amount: -1, note: '' });
    await assert.rejects(retryClassification(open.app, { principal, identifier }), { reason: 'credits' });
    assertCredits(principal, 1, 0);
  } finally {
    server.close();
  }
});

for (const isKnown of [false, true]) {
  const file = isKnown ? 'whose file another account has' : 'of a new file';
  test(`an upload by pieces ${file} is refused for credits and goes on once there are some`, async () => {
    const { app, admin } = open;
    const principal = await payer(1);
    const bytes = await patternImage(isKnown ? 311 : 310, 300)
      .png()
      .toBuffer();
    if (isKnown) await submit(await payer(2), {}, 311);
    const upload = { principal, uploadId: `an-upload-without-credits-${isKnown}`, field: 'file' };
    const fields = { kind: 'image' };
    await beginUpload(app, { ...upload, name: 'a.png', sizeBytes: bytes.length, fields });
    await appendUpload(app, { ...upload, bytes: asPieces(bytes) }, NEVER);
    await assert.rejects(submitUpload(app, upload), /costs 2 credits, 1 are left/);
    await grantCredits(app, { principal: admin, id: principal.account.id, amount: 2, note: '' });
    const identifier = await submitUpload(app, upload);
    assert.equal(app.store.read.records.get(identifier)?.sizeBytes, bytes.length);
    assert.equal(await submitUpload(app, upload), identifier);
    const { hash = '' } = app.store.read.records.get(identifier) ?? {};
    assert.equal(await app.store.blobs.sizeOf(hash), bytes.length);
    const left = await readdir(join(open.folder, 'partial'));
    assert.ok(
      left.every((name) => name.endsWith('.json')),
      left.join(', '),
    );
  });
}

/** Events between the moment when the first is found whole and the second's submission. */
const ORDERS = {
  'begun anew and sent before the first ends': ['begin', 'send', 'end'],
  'sent after the first has ended': ['begin', 'end', 'send'],
} as const;

for (const [order, steps] of Object.entries(ORDERS)) {
  test(`an upload that is begun anew while it is submitted, ${order}: each is stored under its own hash`, async () => {
    const { app } = open;
    const principal = await payer(9);
    const [former, later] = await Promise.all(
      [312, 313].map(
        async (width) =>
          await patternImage(width, 300 + order.length)
            .png()
            .toBuffer(),
      ),
    );
    assert.ok(former !== undefined && later !== undefined);
    const upload = { principal, uploadId: 'an-upload-that-is-begun-anew', field: 'file' };
    const fields = { kind: 'image' };
    const begin = (file: Buffer) =>
      beginUpload(app, { ...upload, name: 'a.png', sizeBytes: file.length, fields });
    const send = (file: Buffer) => appendUpload(app, { ...upload, bytes: asPieces(file) }, NEVER);
    await begin(former);
    await send(former);
    const media = await finishUpload(app, upload, NEVER);
    const calls = {
      begin: () => begin(later),
      send: () => send(later),
      async end() {
        await using _media = media;
        const input = { principal, facade: 'rest', kind: 'image', field: 'file', fields: {} } as const;
        const { identifier } = await submitMedia(app, { ...input, media }, NEVER);
        await assertStored(identifier, former);
      },
    };
    for (const step of steps) await calls[step]();
    await assertStored(await submitUpload(app, upload), later);
    const left = (await readdir(join(open.folder, 'partial'))).filter((name) => !name.endsWith('.json'));
    assert.deepEqual(left, []);
  });
}

test('an upload that is begun anew and submitted while the former is still submitted becomes a record of its own', async () => {
  const { app } = open;
  const principal = await payer(9);
  const upload = { principal, uploadId: 'an-upload-submitted-at-once', field: 'file' };
  const [former, later] = await Promise.all(
    [314, 315].map(async (width) => await patternImage(width, 300).png().toBuffer()),
  );
  assert.ok(former !== undefined && later !== undefined);
  const submit = async (file: Buffer) => {
    const fields = { kind: 'image' };
    await beginUpload(app, { ...upload, name: 'a.png', sizeBytes: file.length, fields });
    await appendUpload(app, { ...upload, bytes: asPieces(file) }, NEVER);
    return { identifier: submitUpload(app, upload) };
  };
  const formerHash = createHash('sha256').update(former).digest('hex');
  // The lock holds the first submission back until the second one is asked for.
  const [first, second] = await app.store.blobs.withLock(formerHash, async () => [
    await submit(former),
    await submit(later),
  ]);
  await assertStored(await first.identifier, former);
  await assertStored(await second.identifier, later);
});

async function assertStored(identifier: string, bytes: Buffer): Promise<void> {
  const { hash = '' } = open.app.store.read.records.get(identifier) ?? {};
  assert.equal(hash, createHash('sha256').update(bytes).digest('hex'));
  assert.deepEqual(await readFile(open.app.store.blobs.pathOf(hash)), bytes);
}

/**
 * Pictures analysed before parts of them could be found, described anew by a real decode child beside all other work.
 *
 * Invariant: an old picture is described once, however often the daemon stops, and nothing is described that is not to be kept.
 */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { before, test } from 'node:test';
import type { App } from '../../../src/app/appliance/app.ts';
import { checkPictureSearch } from '../../../src/app/appliance/doctor/picture-search.ts';
import { EarlierPictures } from '../../../src/app/appliance/earlier-pictures.ts';
import { searchByRecord } from '../../../src/app/records/search-pictures.ts';
import { scene } from '../../media/scene.ts';
import { identifierOf, seedRecords } from '../../seeded-records.ts';
import { openApp } from '../open-app.ts';

const NEVER = new AbortController().signal;
const GONE = identifierOf(900);
let whole: Buffer;
let part: Buffer;
let plain: Buffer;
before(async () => {
  whole = await scene(1).png().toBuffer();
  const { default: sharp } = await import('sharp');
  part = await sharp(whole).extract({ left: 100, top: 80, width: 400, height: 300 }).png().toBuffer();
  plain = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#888' } })
    .png()
    .toBuffer();
});

async function keep({ store }: App, bytes: Buffer): Promise<string> {
  const temporary = await store.blobs.receive(Readable.from([bytes]), { bytesMax: bytes.length }, NEVER);
  await store.blobs.keep(temporary);
  return temporary.hash;
}

/** A picture, a part of it, a plain one, one whose file is gone and one that is no picture, as an old daemon has left them. */
async function seedOld(app: App): Promise<void> {
  const hashes = [await keep(app, whole), await keep(app, part), await keep(app, plain), GONE];
  hashes.push(await keep(app, Buffer.from('no picture at all')));
  const name = (index: number) => `${index}.png`;
  await seedRecords(app.store, hashes.length, (index) => ({
    ...{ name: name(index), probability: 0.5 },
    hash: hashes[index] as string,
  }));
}

/** As the next start would go through them. */
async function pass(app: App): Promise<EarlierPictures['state']> {
  await using earlier = new EarlierPictures(app);
  earlier.start();
  await earlier.settled();
  return earlier.state;
}

test('old pictures are found by their parts once they are described, and are described once', async () => {
  await using opened = await openApp();
  const { app, admin } = opened;
  await app.earlierPictures.settled();
  await seedOld(app);
  const known = { looked: 5, total: 5, gone: 1, unreadable: 1, isDone: true };
  assert.deepEqual(await pass(app), { ...known, learned: 2 });
  const { found, withoutParts } = await searchByRecord(
    app,
    { principal: admin, identifier: identifierOf(1) },
    NEVER,
  );
  assert.deepEqual(
    found.map(({ identifier, degree }) => [identifier, degree]),
    [[identifierOf(0), 'shared_part']],
  );
  assert.equal(withoutParts, 0);
  assert.deepEqual(await pass(app), { ...known, learned: 0 }, 'nothing is left to describe');
});

test('what was near to an old picture stays, under numbers that an index has not read past', async () => {
  await using opened = await openApp();
  const { app } = opened;
  await app.earlierPictures.settled();
  await seedOld(app);
  const earlier = [
    {
      ...{ analysisId: identifierOf(1), distance: 3, isMirrored: false },
      ...{ timeSeconds: null, earlierSeconds: null },
    },
  ];
  await app.store.transact((tx) =>
    tx.putLikenesses(
      { id: identifierOf(0), accountId: 1 },
      [{ hash: 'ab'.repeat(32), timeSeconds: null }],
      earlier,
      1,
    ),
  );
  const [before] = app.store.read.nearMatches(identifierOf(0))?.sequences ?? [];
  await pass(app);
  const after = app.store.read.nearMatches(identifierOf(0));
  assert.deepEqual(after?.earlier, earlier);
  assert.equal(after?.sequences.length, 1);
  assert.ok((after?.sequences[0] ?? 0) > (before ?? 0));
  assert.equal(app.store.read.likeness(before ?? 0), undefined);
});

test('under zero retention nothing is described', async () => {
  await using opened = await openApp();
  const { app } = opened;
  await app.earlierPictures.settled();
  await seedOld(app);
  const account = app.store.read.account(1);
  const plan = app.store.read.plan(account?.planId ?? 0);
  assert.ok(plan !== undefined);
  await app.store.transact((tx) => tx.putPlan({ ...plan, zeroRetention: true }));
  assert.equal((await pass(app)).learned, 0);
});

test('the doctor says what is found, what is looked through, and what is damaged', async () => {
  await using opened = await openApp();
  const { app } = opened;
  await app.earlierPictures.settled();
  await seedOld(app);
  const [begun] = checkPictureSearch({ ...app, earlierPictures: new EarlierPictures(app) });
  assert.deepEqual(
    [begun?.state, /0 of 5 analyses were looked through/.test(begun?.found ?? '')],
    ['notice', true],
  );
  await using earlier = new EarlierPictures(app);
  earlier.start();
  await earlier.settled();
  await app.store.transact((tx) =>
    tx.putLikenesses(
      { id: identifierOf(3), accountId: 1 },
      [{ hash: 'cd'.repeat(32), timeSeconds: null, keypoints: new Uint8Array(3) }],
      [],
      app.clock.now(),
    ),
  );
  await app.keptPictures.read();
  const [finding] = checkPictureSearch({ ...app, earlierPictures: earlier });
  assert.equal(finding?.state, 'bad');
  assert.match(
    finding?.found ?? '',
    /2 pictures and frames .*2 earlier ones were described.*1 rows are damaged/,
  );
});

/** Pictures analysed before parts of them could be found, described anew by a real decode child beside all other work. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { before, test } from 'node:test';
import type { App } from '../../../src/app/appliance/app.ts';
import { readStatus } from '../../../src/app/appliance/appliance.ts';
import { checkPictureSearch } from '../../../src/app/appliance/doctor/store-checks.ts';
import { DESCRIPTION_VERSION, EarlierPictures } from '../../../src/app/appliance/earlier-pictures.ts';
import { searchByRecord } from '../../../src/app/records/search-pictures.ts';
import type { VideoResult } from '../../../src/domain/verdicts/result.ts';
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

/** Seeds what an old daemon has left: a picture, a part of it, a plain one, one whose file is gone and one that is no picture. */
async function seedOld(app: App): Promise<void> {
  const hashes = [await keep(app, whole), await keep(app, part), await keep(app, plain), GONE];
  hashes.push(await keep(app, Buffer.from('no picture at all')));
  const name = (index: number) => `${index}.png`;
  await seedRecords(app.store, hashes.length, (index) => ({
    ...{ name: name(index), probability: 0.5 },
    hash: hashes[index] as string,
  }));
}

/** Adds a film as its analysis leaves it, with a second between its frames. */
async function addFilm({ store }: App, pictures: readonly Buffer[]): Promise<string> {
  const identifier = identifierOf(700);
  const [analysis, record] = [
    store.read.analyses.get(identifierOf(0)),
    store.read.records.get(identifierOf(0)),
  ];
  const image = analysis?.result;
  assert.ok(analysis !== undefined && record !== undefined && image?.kind === 'image');
  const frames = pictures.map((png, index) => ({
    ...{ identifier: identifierOf(701 + index), file: `frame-${index}.png`, timeSeconds: index, image },
    ...{ hash: createHash('sha256').update(png).digest('hex'), sizeBytes: png.length },
  }));
  for (const [index, { file, sizeBytes }] of frames.entries()) {
    await store.artifacts.put(identifier, file, {
      sizeBytes,
      chunks: () => Readable.from(pictures[index] ?? []),
    });
  }
  const { runs, provenance } = image;
  const result: VideoResult = {
    ...{ kind: 'video', mime: 'video/webm', width: 640, height: 480, durationSeconds: frames.length, frames },
    ...{ damagedFrames: 0, tracks: [], withTrack: false, runs, nsfw: null, provenance },
  };
  const film = { kind: 'video', hash: identifier } as const;
  await store.transact((tx) => {
    tx.putAnalysis({ ...analysis, ...film, id: identifier, key: 'film', result });
    tx.putClassification({ ...record, ...film, identifier, analysisId: identifier, mime: 'video/webm' });
  });
  return identifier;
}

/** Describes the old pictures as the first start of a new version does. */
async function pass(app: App): Promise<EarlierPictures['state']> {
  await app.store.transact((tx) => tx.notePicturesDescribed(0));
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

test('the frames of an old film are found by their parts, each at its time', async () => {
  await using opened = await openApp();
  const { app, admin } = opened;
  await app.earlierPictures.settled();
  await seedOld(app);
  const film = await addFilm(app, [part, plain, whole]);
  const { learned, gone } = await pass(app);
  assert.deepEqual([learned, gone], [3, 1]);
  const { found } = await searchByRecord(app, { principal: admin, identifier: identifierOf(0) }, NEVER);
  const ofFilm = found.find(({ identifier }) => identifier === film);
  assert.deepEqual([ofFilm?.degree, ofFilm?.timeSeconds], ['same_picture', 2]);
});

test('once all are described no later start walks through them, until the next version', async () => {
  await using opened = await openApp();
  const { app } = opened;
  await app.earlierPictures.settled();
  assert.equal(
    app.store.read.records.picturesDescribed,
    DESCRIPTION_VERSION,
    'an empty box has nothing to describe',
  );
  await seedOld(app);
  await using unasked = new EarlierPictures(app);
  unasked.start();
  await unasked.settled();
  assert.deepEqual([unasked.state.looked, unasked.state.isDone], [0, true]);
  await pass(app);
  assert.equal(
    app.store.read.records.picturesDescribed,
    0,
    'one could not be decoded: the next start tries again',
  );
});

test('matches of an old picture stay, under numbers that an index has not read past', async () => {
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
  const [before] = app.store.read.nearMatches.getUnlessDamaged(identifierOf(0))?.sequences ?? [];
  await pass(app);
  const after = app.store.read.nearMatches.getUnlessDamaged(identifierOf(0));
  assert.deepEqual(after?.earlier, earlier);
  assert.equal(after?.sequences.length, 1);
  assert.ok((after?.sequences[0] ?? 0) > (before ?? 0));
  assert.equal(app.store.read.likenesses.getUnlessDamaged(before ?? 0), undefined);
});

test('under zero retention nothing is described', async () => {
  await using opened = await openApp();
  const { app } = opened;
  await app.earlierPictures.settled();
  await seedOld(app);
  const account = app.store.read.accounts.get(1);
  const plan = app.store.read.accounts.plans.get(account?.planId ?? 0);
  assert.ok(plan !== undefined);
  await app.store.transact((tx) => tx.accounts.putPlan({ ...plan, zeroRetention: true }));
  assert.equal((await pass(app)).learned, 0);
});

test('before the first analysis has ended the doctor has nothing to wait for', async () => {
  await using opened = await openApp();
  const [finding] = checkPictureSearch({ ...opened.app, earlierPictures: new EarlierPictures(opened.app) });
  assert.deepEqual(
    [finding?.state, finding?.found],
    ['good', '0 pictures and frames are found by a part (4 MiB); no analysis has ended yet'],
  );
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
  await app.store.transact((tx) => tx.notePicturesDescribed(0));
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
  const { search } = await readStatus({ ...app, earlierPictures: earlier });
  const { bytes, ...counts } = search;
  assert.ok(bytes > 0);
  const known = { looked: 5, total: 5, learned: 2, gone: 1, unreadable: 1, isDone: true };
  assert.deepEqual(counts, { ...known, pictures: 2, fileBytes: 0, fileFault: null, damaged: 1 });
  const [finding] = checkPictureSearch({ ...app, earlierPictures: earlier });
  assert.equal(finding?.state, 'bad');
  assert.match(
    finding?.found ?? '',
    /2 pictures and frames .*2 earlier ones were described.*1 rows are damaged/,
  );
});

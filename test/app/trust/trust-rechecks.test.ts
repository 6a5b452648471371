/** Stored manifests read anew by a real decode child after trust lists changed: answers, history, stops and starts. */
import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { App } from '../../../src/app/appliance/app.ts';
import type { Principal } from '../../../src/app/callers/principal.ts';
import { recordOf } from '../../../src/app/records/record.ts';
import { readAnew, writeReadAnew } from '../../../src/app/trust/read-anew.ts';
import { addTrustList, removeTrustList, setTrustListOn } from '../../../src/app/trust/trust-lists.ts';
import { TrustRechecks } from '../../../src/app/trust/trust-rechecks.ts';
import type { Provenance } from '../../../src/domain/provenance/provenance.ts';
import { NO_TRUST, type TrustMaterial, toMaterial } from '../../../src/domain/provenance/trust-list.ts';
import type { TrustRecheck } from '../../../src/domain/provenance/trust-recheck.ts';
import { readProvenance } from '../../../src/worker/steps/provenance.ts';
import { makeIdentity } from '../../certificates.ts';
import { identifierOf, seedRecords } from '../../seeded-records.ts';
import { definitionOf, GENERATED, makeSigner, signMedia } from '../../signed-media.ts';
import { makeTrustList } from '../../trust-lists.ts';
import { addUser, type OpenApp, openApp, principalOf } from '../open-app.ts';

const authority = makeIdentity({ name: 'Desk authority' });
/** No test seeds more records. */
const RECORDS_MAX = 100;
const NEVER = new AbortController().signal;
let opened: OpenApp;
let signed: Buffer;
before(async () => {
  opened = await openApp();
  const definition = definitionOf(GENERATED);
  signed = (await signMedia({ definition }, { signer: makeSigner(authority) })).file;
});
after(() => opened[Symbol.asyncDispose]());

/** A test begins without records and with the lists that come with Assay. */
beforeEach(async () => {
  const { app, admin } = opened;
  for (const analysis of app.store.read.analysesAfter('', RECORDS_MAX)) {
    await app.store.transact((tx) => {
      for (const record of tx.classificationsOfAnalysis(analysis.id)) tx.deleteClassification(record, null);
      tx.deleteAnalysis(analysis);
    });
    await app.store.blobs.remove(analysis.hash);
  }
  if (app.trust.all.some(({ id }) => id === 'desk'))
    await removeTrustList(app, { principal: admin, id: 'desk' });
  await setTrustListOn(app, { principal: admin, id: 'interim', isOn: true });
});

/** Records of one signed file as a daemon with other lists has read it. */
async function seedSigned(
  { app, folder }: { app: App; folder: string },
  count: number,
  file = signed,
  trust: TrustMaterial = NO_TRUST,
): Promise<Provenance> {
  const temporary = await app.store.blobs.receive(Readable.from([file]), { bytesMax: file.length }, NEVER);
  await app.store.blobs.keep(temporary);
  const path = join(folder, 'signed.jpg');
  await writeFile(path, file);
  const provenance = await readProvenance({ path, mime: 'image/jpeg', trust });
  await seedRecords(app.store, count, (index) => ({
    name: `${index}.jpg`,
    hash: temporary.hash,
    probability: 0.5,
  }));
  await setProvenance(app, count, provenance);
  return provenance;
}

async function setProvenance(app: App, count: number, provenance: Provenance): Promise<void> {
  await app.store.transact((tx) => {
    for (let index = 0; index < count; index += 1) {
      const analysis = tx.analyses.get(identifierOf(index));
      if (analysis?.result?.kind === 'image') {
        tx.putAnalysis({ ...analysis, result: { ...analysis.result, provenance } });
      }
    }
  });
}

async function addDesk(app: App, principal: Principal): Promise<void> {
  const texts = { id: 'desk', name: '', source: '', terms: '', date: '2026-11-01' };
  const content = Buffer.from(authority.cert);
  await addTrustList(app, { principal, ...texts, kind: 'signers', content, single: false });
}

async function recheck(app: App, principal: Principal): Promise<TrustRecheck> {
  await app.trustRechecks.begin(principal);
  await app.trustRechecks.settled();
  const ended = app.trustRechecks.current(principal);
  assert.ok(ended !== null);
  return ended;
}

/** Waits until so many records were written anew. */
async function changesOf({ feed }: App, count: number): Promise<void> {
  let seen = 0;
  for await (const _ of feed.watch({ readerId: 1 }, NEVER)) {
    seen += 1;
    if (seen === count) return;
  }
}

function stateOf(app: App, index: number): string | undefined {
  const classification = app.store.read.records.get(identifierOf(index));
  const analysis = app.store.read.analyses.get(identifierOf(index));
  assert.ok(classification !== undefined && analysis !== undefined);
  return recordOf(app, classification, analysis).provenance?.readings?.state;
}

/** Counts the readings of earlier tests, too. */
function countRereads(app: App, indexes: readonly number[]): number {
  const rows = indexes.flatMap((index) =>
    app.store.read.custody.rowsOf([identifierOf(index)], { limit: RECORDS_MAX }),
  );
  return rows.filter(({ kind }) => kind === 'manifest_reread').length;
}

function figuresOf({ state, unchanged, changed, mediaGone, unreadable }: TrustRecheck): unknown[] {
  return [state, unchanged, changed, mediaGone, unreadable];
}

test('a list that is added makes stored manifests trusted, with every change on the history', async () => {
  const { app, admin } = opened;
  await seedSigned(opened, 3);
  assert.equal(stateOf(app, 0), 'intact');
  await addDesk(app, admin);
  const ended = await recheck(app, admin);
  assert.deepEqual(figuresOf(ended), ['done', 0, 3, 0, 0]);
  assert.deepEqual([ended.looked, ended.total], [3, 3]);
  assert.equal(stateOf(app, 2), 'trusted');
  const [newest] = app.trustRechecks.records(admin, { limit: 10 });
  assert.deepEqual(newest?.changes, [
    { answer: 'state', before: 'intact', after: 'trusted' },
    { answer: 'signed_by', before: 'on_no_list', after: 'on_list' },
    { answer: 'vouched_by', before: '', after: 'desk' },
    { answer: 'assessment', before: 'inconclusive (none)', after: 'artificial (signed)' },
  ]);
  assert.ok(newest?.listsAfter.some(({ id }) => id === 'desk'));
  assert.deepEqual(newest?.listsBefore, []);
  const [entry] = app.store.read.custody.rowsOf([identifierOf(1)], { limit: 1 });
  assert.equal(entry?.kind, 'manifest_reread');
  assert.match(JSON.stringify(app.store.read.custody.details(entry?.sequence ?? 0)), /on_no_list/);
  const actions = app.store.read.audit({ limit: 5 }).map(({ action }) => action);
  assert.deepEqual(actions.slice(0, 3), ['trust.recheck_done', 'trust.recheck', 'trust.add']);
});

test('manifests that these lists judged are not read again, and a list that is switched off is noticed', async () => {
  const { app, admin } = opened;
  await seedSigned(opened, 2);
  await addDesk(app, admin);
  await recheck(app, admin);
  assert.deepEqual(figuresOf(await recheck(app, admin)), ['done', 0, 0, 0, 0]);
  await setTrustListOn(app, { principal: admin, id: 'interim', isOn: false });
  assert.deepEqual(figuresOf(await recheck(app, admin)), ['done', 2, 0, 0, 0]);
  await setTrustListOn(app, { principal: admin, id: 'desk', isOn: false });
  assert.deepEqual(figuresOf(await recheck(app, admin)), ['done', 0, 2, 0, 0]);
  assert.equal(stateOf(app, 0), 'intact');
});

test('only what lists judge is written: the documented report and unsigned metadata stay', async () => {
  const { app, admin } = opened;
  const first = await seedSigned(opened, 1);
  const declarations = [{ kind: 'camera', field: 'EXIF Model', value: 'X', origin: 'captured' } as const];
  await setProvenance(app, 1, { ...first, declarations });
  await addDesk(app, admin);
  await recheck(app, admin);
  const {
    c2pa,
    declarations: kept,
    signer,
  } = app.store.read.analyses.get(identifierOf(0))?.result?.provenance ?? {};
  assert.deepEqual([c2pa, kept, signer], [first.c2pa, declarations, first.signer]);
});

test('a record of a version that read no answers gets them', async () => {
  const { app, admin } = opened;
  const { c2pa, declaredOrigin, signer } = await seedSigned(opened, 1);
  await setProvenance(app, 1, { c2pa, declaredOrigin, signer, remoteManifestUrl: null, fault: null });
  assert.equal(stateOf(app, 0), undefined);
  await addDesk(app, admin);
  assert.deepEqual(figuresOf(await recheck(app, admin)), ['done', 0, 1, 0, 0]);
  assert.equal(stateOf(app, 0), 'trusted');
});

test('a record whose file is gone says so once, and keeps what was read', async () => {
  const { app, admin } = opened;
  await seedSigned(opened, 1);
  const { hash } = app.store.read.records.get(identifierOf(0)) ?? { hash: '' };
  await app.store.blobs.remove(hash);
  await addDesk(app, admin);
  assert.deepEqual(figuresOf(await recheck(app, admin)), ['done', 0, 0, 1, 0]);
  assert.deepEqual(figuresOf(await recheck(app, admin)), ['done', 0, 0, 1, 0]);
  const [record] = app.trustRechecks.records(admin, { limit: 5 });
  assert.deepEqual([record?.outcome, record?.reason], ['media_gone', 'the file is not kept any more']);
  assert.equal(stateOf(app, 0), 'intact');
  const kinds = app.store.read.custody.rowsOf([identifierOf(0)], { limit: 9 }).map(({ kind }) => kind);
  assert.deepEqual(kinds.filter((kind) => kind === 'manifest_not_reread').length, 1);
});

test('a stored file that is another than the one submitted is not read', async () => {
  const { app, admin } = opened;
  await seedSigned(opened, 1);
  const { hash } = app.store.read.records.get(identifierOf(0)) ?? { hash: '' };
  await chmod(app.store.blobs.pathOf(hash), 0o600);
  await writeFile(app.store.blobs.pathOf(hash), Buffer.concat([signed, Buffer.from('x')]));
  await addDesk(app, admin);
  assert.deepEqual(figuresOf(await recheck(app, admin)), ['done', 0, 0, 0, 1]);
  assert.match(
    app.trustRechecks.records(admin, { limit: 1 })[0]?.reason ?? '',
    /no longer the one that was submitted/,
  );
});

test('a certificate that ran out since the first reading says no less than it did then', async () => {
  const { app, admin } = opened;
  const notAfter = new Date(Date.now() + 4000);
  const soon = makeIdentity({ ...{ name: 'Test camera', issuer: authority, signsMedia: true }, notAfter });
  const { file } = await signMedia({ definition: definitionOf(GENERATED) }, { signer: soon });
  await seedSigned(opened, 1, file, toMaterial([makeTrustList({ authorities: authority.cert })]));
  assert.equal(stateOf(app, 0), 'trusted');
  // Certificates count whole seconds.
  await delay(notAfter.getTime() + 1000 - Date.now());
  await addDesk(app, admin);
  await recheck(app, admin);
  const [record] = app.trustRechecks.records(admin, { limit: 1 });
  assert.deepEqual(record?.changes, [{ answer: 'vouched_by', before: 'test', after: 'desk' }]);
});

test('a cancelled recheck ends at once and keeps its work; a stopped one goes on where it was', async () => {
  const { app, admin } = opened;
  const count = 30;
  const indexes = Array.from({ length: count }, (_, index) => index);
  const rereads = countRereads(app, indexes);
  await seedSigned(opened, count);
  await addDesk(app, admin);
  await app.trustRechecks.begin(admin);
  await changesOf(app, 3);
  const cancelled = await app.trustRechecks.cancel(admin);
  assert.equal(cancelled?.state, 'cancelled');
  const done = cancelled?.changed ?? 0;
  assert.ok(done >= 3 && done < count, `${done} done`);

  const other = new TrustRechecks(app);
  await other.begin(admin);
  await changesOf(app, 3);
  await other[Symbol.asyncDispose]();
  const stopped = app.trustRechecks.current(admin);
  assert.equal(stopped?.state, 'running');
  assert.ok((stopped?.changed ?? 0) < count - done);

  await using next = new TrustRechecks(app);
  next.start();
  await next.settled();
  const ended = next.current(admin);
  assert.deepEqual([ended?.state, ended?.changed], ['done', count - done]);
  assert.ok(indexes.every((index) => stateOf(app, index) === 'trusted'));
  assert.equal(countRereads(app, indexes) - rereads, count, 'each was read once');
});

test('lists that change under way hold for all', async () => {
  const { app, admin } = opened;
  await seedSigned(opened, 20);
  await app.trustRechecks.begin(admin);
  await changesOf(app, 3);
  await addDesk(app, admin);
  await app.trustRechecks.settled();
  assert.equal(app.trustRechecks.current(admin)?.state, 'done');
  assert.ok([0, 10, 19].every((index) => stateOf(app, index) === 'trusted'));
});

test('only administrators start a recheck, and not those who may only read', async () => {
  const { app } = opened;
  const user = principalOf(app, (await addUser(app, opened.admin)).id);
  await assert.rejects(() => app.trustRechecks.begin(user), /administrator/);
  assert.throws(() => app.trustRechecks.current(user), /administrator/);
  assert.throws(() => app.trustRechecks.records(user, { limit: 1 }), /administrator/);
  await assert.rejects(() => app.trustRechecks.cancel(user), /administrator/);
});

test('a change of an analysis while its manifest is read anew stays', async () => {
  const { app, admin } = opened;
  await seedSigned(opened, 1);
  await addDesk(app, admin);
  const [id, before] = [identifierOf(0), app.store.read.analyses.get(identifierOf(0))];
  assert.ok(before !== undefined);
  const records = app.store.read.classificationsOfAnalysis(id);
  const trust = app.trust.material();
  const read = await readAnew(app, { analysis: before, records, trust, signal: NEVER });
  const addition = { id: 'adding', asked: ['heatmap'], error: '' } as const;
  await app.store.transact((tx) => tx.putAnalysis({ ...before, addition }));
  const who = { actor: admin.account.id, now: app.clock.now() };
  assert.equal(await app.store.transact((tx) => writeReadAnew(tx, before, read, who)), true);
  assert.deepEqual(app.store.read.analyses.get(id)?.addition, addition);
  assert.equal(stateOf(app, 0), 'trusted');
});

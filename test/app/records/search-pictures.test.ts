import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { addDesk, removeDeskMember, setDeskMember } from '../../../src/app/accounts/desks.ts';
import { updatePlan } from '../../../src/app/accounts/plans.ts';
import type { App } from '../../../src/app/appliance/app.ts';
import { deleteClassification } from '../../../src/app/records/classifications.ts';
import { searchByRecord } from '../../../src/app/records/search-pictures.ts';
import { packKeypoints } from '../../../src/domain/media/keypoints.ts';
import { findKeypoints } from '../../../src/worker/keypoints/find-keypoints.ts';
import { scene } from '../../media/scene.ts';
import { seedRecords } from '../../seeded-records.ts';
import { addUser, openApp, principalOf } from '../open-app.ts';

const { signal } = new AbortController();
let whole: Uint8Array;
let part: Uint8Array;

async function packed(width: number): Promise<Uint8Array> {
  const picture = scene(1).extract({ left: 0, top: 0, width, height: 480 });
  const { data, info } = await picture.raw().toBuffer({ resolveWithObject: true });
  const rgb = { width: info.width, height: info.height, rgb: data };
  return packKeypoints(await findKeypoints(rgb, { side: 512, countMax: 200 }));
}

before(async () => {
  [whole, part] = [await packed(640), await packed(420)];
});

/** Records of these accounts, each with the keypoints of the picture or of a part of it. */
async function seed(app: App, accounts: readonly number[], deskId?: number): Promise<string[]> {
  const about = deskId === undefined ? {} : { deskId };
  await seedRecords(app.store, accounts.length, (row) => ({
    name: `picture-${row}`,
    accountId: accounts[row] ?? 1,
    ...about,
    probability: 0.9,
  }));
  const identifiers = accounts.map((_, row) => row.toString(16).padStart(64, '0'));
  for (const [row, identifier] of identifiers.entries()) {
    const id = app.store.read.records.get(identifier)?.analysisId ?? '';
    const hash = (row + 1).toString(16).repeat(64).slice(0, 64);
    const seen = { hash, timeSeconds: null, keypoints: row % 2 === 0 ? whole : part };
    await app.store.transact((tx) =>
      tx.putLikenesses({ id, accountId: accounts[row] ?? 1, ...about }, [seen], [], app.clock.now()),
    );
  }
  return identifiers;
}

test('a record finds what shares a part with it, until that is deleted', async () => {
  await using open = await openApp();
  const { app, admin } = open;
  const [first = '', second = ''] = await seed(app, [1, 1]);
  const { found, searched, withoutParts } = await searchByRecord(
    app,
    { principal: admin, identifier: first },
    signal,
  );
  assert.deepEqual(
    found.map(({ identifier, degree }) => [identifier, degree]),
    [[second, 'shared_part']],
  );
  assert.deepEqual([searched, withoutParts], [2, 0]);
  assert.ok((found[0]?.foundPart?.right ?? 0) > 0.9 && (found[0]?.askedPart?.right ?? 1) < 0.72);
  await deleteClassification(app, { principal: admin, identifier: second });
  const after = await searchByRecord(app, { principal: admin, identifier: first }, signal);
  assert.deepEqual([after.found, after.searched], [[], 1]);
});

test('pictures kept by an older version are reported as known as a whole only', async () => {
  await using open = await openApp();
  const { app, admin } = open;
  const [first = '', second = ''] = await seed(app, [1, 1]);
  const id = app.store.read.records.get(second)?.analysisId ?? '';
  const seen = { hash: 'e'.repeat(64), timeSeconds: null };
  await app.store.transact((tx) => tx.putLikenesses({ id, accountId: 1 }, [seen], [], app.clock.now()));
  const answer = await searchByRecord(app, { principal: admin, identifier: first }, signal);
  assert.deepEqual([answer.found, answer.searched, answer.withoutParts], [[], 2, 1]);
});

test('a member of a desk finds a colleague’s picture by a part of it, until it leaves', async () => {
  await using open = await openApp();
  const { app, admin } = open;
  const { id: deskId } = await addDesk(app, { principal: admin, name: 'Night desk' });
  const [colleague, member] = [await addUser(app, admin), await addUser(app, admin)];
  const principal = principalOf(app, member.id);
  const { email } = member;
  await setDeskMember(app, { principal: admin, id: deskId, email, role: 'looks' });
  const [first = '', second = ''] = await seed(app, [colleague.id, colleague.id], deskId);
  const { found, searched } = await searchByRecord(app, { principal, identifier: first }, signal);
  assert.deepEqual([found.map(({ identifier }) => identifier), searched], [[second], 2]);
  await removeDeskMember(app, { principal, id: deskId, email });
  const gone = searchByRecord(app, { principal, identifier: first }, signal);
  await assert.rejects(gone, { reason: 'classification' });
});

test('another account finds nothing, except a partner’s user if all plans allow it', async () => {
  await using open = await openApp();
  const { app, admin } = open;
  const partner = await addUser(app, admin, { role: 'partner' });
  const left = await addUser(app, principalOf(app, partner.id));
  const right = await addUser(app, principalOf(app, partner.id));
  const [first = '', second = ''] = await seed(app, [left.id, right.id, 1]);
  const search = () =>
    searchByRecord(app, { principal: principalOf(app, left.id), identifier: first }, signal);
  const alone = await search();
  assert.deepEqual([alone.found, alone.searched], [[], 1]);
  await updatePlan(app, { principal: admin, id: left.planId, fields: { seen_before_across_users: true } });
  const across = await search();
  assert.deepEqual(
    across.found.map(({ identifier }) => identifier),
    [second],
  );
  assert.equal(across.searched, 2, 'not the administrator’s');
});

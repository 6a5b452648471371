import assert from 'node:assert/strict';
import { test } from 'node:test';
import { updatePlan } from '../../../src/app/accounts/plans.ts';
import type { App } from '../../../src/app/appliance/app.ts';
import { deleteClassification } from '../../../src/app/records/classifications.ts';
import { overrideClassification } from '../../../src/app/records/overrides.ts';
import { Retention } from '../../../src/app/records/retention.ts';
import { SeenBeforeIndex, seenAgain, seenBefore } from '../../../src/app/records/seen-before.ts';
import { seedRecords } from '../../seeded-records.ts';
import { addUser, openApp, principalOf } from '../open-app.ts';

const HASH = 'f8f8f0cee0f4a84f06370a22038f63f0b36e2ed596621e1d33e6b39c4e9c9b22';
/** Hashes that are two bits away, and mirrored. */
const NEAR = `f8f8f0cee0f4a84f06370a22038f63f0b36e2ed596621e1d33e6b39c4e9c9b21`;
const MIRRORED = '9c4e9c9b22f8f8f0cee0f4a84f06370a22038f63f0b36e2ed596621e1d33e6b3';

const likenessOf = (hash: string, mirrored = MIRRORED, quality = 100) => ({
  likeness: { hash, mirrored, quality },
  timeSeconds: null,
});

/** Records whose analyses ended one after the other, each with its likeness looked for as the engine does. */
async function seed(
  app: App,
  index: SeenBeforeIndex,
  rows: readonly { accountId: number; hash: string; mirrored?: string; quality?: number }[],
): Promise<string[]> {
  const identifiers: string[] = [];
  await seedRecords(app.store, rows.length, (row) => ({
    name: `picture-${row}`,
    accountId: rows[row]?.accountId ?? 1,
    probability: 0.9,
  }));
  for (const [row, { accountId, hash, mirrored, quality }] of rows.entries()) {
    const identifier = row.toString(16).padStart(64, '0');
    const id = app.store.read.records.get(identifier)?.analysisId ?? '';
    const found = await index.look({ id, accountId }, [likenessOf(hash, mirrored, quality)]);
    if (found !== null) {
      const kept = found.likenesses.map(({ likeness, timeSeconds }) => ({
        hash: likeness.hash,
        timeSeconds,
      }));
      await app.store.transact((tx) =>
        tx.putLikenesses({ id, accountId }, kept, found.earlier, app.clock.now()),
      );
    }
    identifiers.push(identifier);
  }
  return identifiers;
}

test('a copy names its original and what a person found of it, and inherits nothing', async () => {
  await using open = await openApp();
  const { app, admin } = open;
  const index = new SeenBeforeIndex(app.store);
  const [first, copy, mirrored, other, plain] = await seed(app, index, [
    { accountId: 1, hash: HASH },
    { accountId: 1, hash: NEAR },
    { accountId: 1, hash: MIRRORED, mirrored: HASH },
    { accountId: 1, hash: '0'.repeat(32) + 'f'.repeat(32), mirrored: 'a'.repeat(64) },
    { accountId: 1, hash: HASH, quality: 10 },
  ]);
  const of = (identifier: string | undefined) =>
    seenBefore(app, { reader: admin, identifier: identifier ?? '' });
  assert.deepEqual(of(first), []);
  const later = seenAgain(app, { reader: admin, identifier: first ?? '' });
  assert.deepEqual(
    later.map(({ identifier, relation }) => [identifier, relation]),
    [
      [mirrored, 'mirrored_copy'],
      [copy, 'copy'],
    ],
    'the first one learns of its copies',
  );
  assert.deepEqual(
    of(copy).map(({ identifier, relation, distance, finding }) => ({
      identifier,
      relation,
      distance,
      finding,
    })),
    [{ identifier: first, relation: 'copy', distance: 2, finding: null }],
  );
  assert.deepEqual(
    of(mirrored).map(({ identifier, relation }) => [identifier, relation]),
    [
      [first, 'mirrored_copy'],
      [copy, 'mirrored_copy'],
    ],
  );
  assert.deepEqual(of(other), []);
  assert.deepEqual(of(plain), [], 'too plain to mean anything');
  const hash = app.store.read.records.get(first ?? '')?.hash ?? '';
  await overrideClassification(app, { principal: admin, kind: 'image', hash, classification: 'human' });
  const [seen] = of(copy);
  assert.deepEqual([seen?.finding, seen?.foundByAccountId, seen?.outcome], ['human', 1, 'human']);
  assert.equal(
    app.store.read.override(1, 'image', app.store.read.records.get(copy ?? '')?.hash ?? ''),
    undefined,
  );
});

test('a new start reads on from the store, and a search waits for it', async () => {
  await using open = await openApp();
  const { app } = open;
  await seed(app, new SeenBeforeIndex(app.store), [{ accountId: 1, hash: HASH }]);
  const found = await new SeenBeforeIndex(app.store).look({ id: 'new', accountId: 1 }, [likenessOf(NEAR)]);
  assert.equal(found?.earlier[0]?.distance, 2);
});

test('an account sees no other account, except among a partner’s users whose plans all allow it', async () => {
  await using open = await openApp();
  const { app, admin } = open;
  const partner = await addUser(app, admin, { role: 'partner' });
  const [left, right] = [
    await addUser(app, principalOf(app, partner.id)),
    await addUser(app, principalOf(app, partner.id)),
  ];
  const stranger = await addUser(app, admin);
  const look = async (accountId: number) => {
    const index = new SeenBeforeIndex(app.store);
    return (await index.look({ id: 'new', accountId }, [likenessOf(NEAR)]))?.earlier.length;
  };
  await seed(app, new SeenBeforeIndex(app.store), [{ accountId: left.id, hash: HASH }]);
  assert.deepEqual([await look(left.id), await look(right.id), await look(stranger.id)], [1, 0, 0]);
  await updatePlan(app, { principal: admin, id: 1, fields: { seen_before_across_users: true } });
  assert.deepEqual([await look(left.id), await look(right.id), await look(stranger.id)], [1, 1, 0]);
});

test('a deleted picture is found no more, in the store and in memory', async () => {
  await using open = await openApp();
  const { app, admin } = open;
  const index = new SeenBeforeIndex(app.store);
  const [first, copy] = await seed(app, index, [
    { accountId: 1, hash: HASH },
    { accountId: 1, hash: NEAR },
  ]);
  const { analysisId } = app.store.read.records.get(first ?? '') ?? { analysisId: '' };
  const sequence = app.store.read.nearMatches.getUnlessDamaged(analysisId)?.sequences[0] ?? 0;
  assert.notEqual(app.store.read.likenesses.getUnlessDamaged(sequence), undefined);
  await deleteClassification(app, { principal: admin, identifier: first ?? '' });
  assert.equal(app.store.read.likenesses.getUnlessDamaged(sequence), undefined);
  assert.equal(app.store.read.nearMatches.getUnlessDamaged(analysisId), undefined);
  assert.deepEqual(seenBefore(app, { reader: admin, identifier: copy ?? '' }), []);
  const found = await new SeenBeforeIndex(app.store).look({ id: 'new', accountId: 1 }, [likenessOf(HASH)]);
  assert.deepEqual(
    found?.earlier.map(({ distance }) => distance),
    [2],
    'the copy alone',
  );
});

test('zero retention keeps no likeness, and drops earlier ones', async () => {
  await using open = await openApp();
  const { app, admin } = open;
  const index = new SeenBeforeIndex(app.store);
  const [first] = await seed(app, index, [{ accountId: 1, hash: HASH }]);
  const { analysisId } = app.store.read.records.get(first ?? '') ?? { analysisId: '' };
  assert.notEqual(app.store.read.nearMatches.getUnlessDamaged(analysisId), undefined);
  await updatePlan(app, { principal: admin, id: 1, fields: { zero_retention: true } });
  assert.equal(await index.look({ id: 'new', accountId: 1 }, [likenessOf(HASH)]), null);
  {
    await using retention = new Retention(app, { intervalMs: 3_600_000 });
    await retention.sweep();
  }
  assert.equal(app.store.read.nearMatches.getUnlessDamaged(analysisId), undefined);
  assert.deepEqual(app.store.read.likenessesAfter(0, 10), []);
});

import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_OPTIONS } from '../../../src/domain/records/options.ts';
import { type AnalysisSpec, analysisKey, joinOrQueue } from '../../../src/engine/queue/queue.ts';
import { Store } from '../../../src/store/store.ts';
import { identifierOf, seedRecords } from '../../seeded-records.ts';
import { NOT_A_NUMBER, spoilRows } from '../../store/spoiled-records.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';

const ID = identifierOf(0);
const SPEC: AnalysisSpec = {
  ...{ kind: 'image', hash: ID, sourceUrl: null, manifestHash: undefined, models: [] },
  ...{ options: { ...DEFAULT_OPTIONS }, accountId: 1, priority: 'interactive', noCache: false },
};
const PARTS = { id: 'f'.repeat(64), now: 1, depth: 0, queueMax: 10 };

/** A folder with one finished analysis of the work. */
async function fill(folder: string): Promise<void> {
  await using store = await Store.open({ folder });
  await seedRecords(store, 1, () => ({ name: 'a.png', probability: 0.5 }));
  await store.transact((tx) => {
    const analysis = tx.analyses.get(ID);
    if (analysis === undefined) throw new Error('nothing was seeded');
    tx.putAnalysis({ ...analysis, key: analysisKey({ ...SPEC, models: [] }) });
  });
}

async function originOfNext(folder: string): Promise<string> {
  await using store = await Store.open({ folder });
  return await store.transact((tx) => joinOrQueue(tx, SPEC, PARTS).origin);
}

test('a finished analysis answers for the same work, unless a figure of it is none', async () => {
  await using folder = await makeTemporaryFolder();
  await fill(folder.path);
  equal(await originOfNext(folder.path), 'cached');
  await spoilRows(folder.path, [{ table: 'analyses', key: ID, spoil: NOT_A_NUMBER }]);
  equal(await originOfNext(folder.path), 'analysed');
});

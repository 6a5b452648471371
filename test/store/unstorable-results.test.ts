import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Analysis } from '../../src/domain/records/classification.ts';
import type { ImageResult } from '../../src/domain/verdicts/result.ts';
import { Store } from '../../src/store/store.ts';
import { identifierOf, seedRecords } from '../seeded-records.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

type Spoil = (result: ImageResult, run: ImageResult['runs'][number]) => unknown;

const SPOILED: readonly (readonly [Spoil, RegExp])[] = [
  [(_, run) => (run.probability = Number.NaN), /runs\.0\.probability: .*NaN/],
  [(_, run) => (run.logOdds = Number.POSITIVE_INFINITY), /runs\.0\.logOdds: .*Infinity/],
  [(_, run) => (run.weight = 0), /runs\.0\.weight: /],
  [(_, run) => Reflect.deleteProperty(run, 'weight'), /runs\.0\.weight: .*undefined/],
  [(_, run) => Object.assign(run, { family: undefined }), /runs\.0\.family: .*undefined/],
  [(result) => (result.nsfw = Number.NaN), /nsfw: .*NaN/],
  [(result) => Object.assign(result, { nsfw: undefined }), /nsfw: .*undefined/],
  [(result) => (result.width = Number.NaN), /width: .*NaN/],
  [(result) => Object.assign(result.quality, { jpegQuality: Number.NaN }), /quality\.jpegQuality: .*NaN/],
];

test('only finite numbers are stored', async () => {
  await using folder = await makeTemporaryFolder();
  await using store = await Store.open({ folder: folder.path });
  await seedRecords(store, 1, () => ({ name: 'one', probability: 0.3 }));
  const id = identifierOf(0);
  const sound = store.read.analyses.get(id);
  assert.ok(sound?.result?.kind === 'image');
  for (const [spoil, sentence] of SPOILED) {
    const spoiled: Analysis & { result: ImageResult } = structuredClone({ ...sound, result: sound.result });
    const [run] = spoiled.result.runs;
    assert.ok(run);
    spoil(spoiled.result, run);
    const put = store.transact((tx) => tx.putAnalysis(spoiled));
    await assert.rejects(put, sentence);
    assert.deepEqual(store.read.analyses.get(id), sound);
  }
});

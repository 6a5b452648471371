import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePicture } from '../interface/media.ts';
import { MEDIA_CASES } from './media-cases.ts';
import { granted, refused } from './ways/caller.ts';
import { runRows } from './ways/run-rows.ts';

const fullStages = runRows(MEDIA_CASES);

test('overrides keep their history, and a removed one no longer applies', async () => {
  for (const { callers, ids } of fullStages) {
    const { plain } = callers;
    const { hash } = granted(await plain.classify('image', await makePicture()));
    granted(await plain.overrideBecause('image', hash, 'human', 'I took it'));
    granted(await plain.overrideBecause('image', hash, 'artificial', 'I did not'));
    const removed = granted(await plain.removeOverride('image', hash));
    assert.equal(removed.classification, 'artificial');
    const by = { measured: 'artificial', byAccountId: ids.plain };
    assert.deepEqual(granted(await plain.overrideHistory('image', hash)), [
      { classification: 'human', reason: 'I took it', ...by },
      { classification: 'artificial', reason: 'I did not', ...by },
    ]);
    const again = await plain.removeOverride('image', hash);
    assert.equal(refused(again).reason, 'classification');
    const foreign = await callers.other.overrideHistory('image', hash);
    assert.equal(refused(foreign).reason, 'classification');
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePicture } from '../../interface/media.ts';
import { granted } from '../ways/caller.ts';
import { runRows } from '../ways/run-rows.ts';
import { ACCOUNT_CASES } from './account-cases.ts';

const fullStages = runRows(ACCOUNT_CASES);

test('the ledger lists every change of the credits', async () => {
  for (const { callers } of fullStages) {
    granted(await callers.buyer.submit('image', await makePicture()));
    assert.deepEqual(granted(await callers.buyer.ledger()), [
      { reason: 'grant', amount: 10 },
      { reason: 'charge', amount: -2 },
    ]);
  }
});

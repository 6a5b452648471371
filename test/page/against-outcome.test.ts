/** What the models say is no reason for an outcome that a person or a signature set against them. */
import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { isAgainstOutcome } from '../../page/parts/records.ts';

test('the models’ reason is against an outcome that says otherwise, and against no other', () => {
  const codes = ['MODEL_LEANS_HUMAN', 'MODEL_LEANS_ARTIFICIAL', 'C2PA_VALID'];
  const against = (['HUMAN', 'ARTIFICIAL', 'INCONCLUSIVE', 'NOT_APPLICABLE'] as const).map((outcome) =>
    codes.filter((code) => isAgainstOutcome({ outcome }, code)),
  );
  deepEqual(against, [['MODEL_LEANS_ARTIFICIAL'], ['MODEL_LEANS_HUMAN'], [], []]);
});

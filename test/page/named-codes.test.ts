/** Codes that the page meets have words in both languages: steps of an analysis, actions of the audit log, obstacles to a sign-off, refusals. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EN } from '../../page/texts/en.ts';
import { FAULTS_IT, sayFault } from '../../page/texts/faults.ts';
import { IT } from '../../page/texts/it.ts';
import { language } from '../../page/texts/language.ts';
import { AUDIT_ACTIONS } from '../../src/domain/custody/audit-actions.ts';
import { REASONS } from '../../src/domain/errors.ts';
import { PROGRESS_STEPS } from '../../src/domain/records/progress-steps.ts';
import { SIGN_OFF_OBSTACLES } from '../../src/domain/records/sign-off.ts';

const KEYS = [
  ...PROGRESS_STEPS.map((step) => `step_${step}`),
  ...AUDIT_ACTIONS.map((action) => `audit_${action}`),
  ...SIGN_OFF_OBSTACLES.map((code) => `obstacle_${code.toUpperCase()}`),
];

for (const [language, texts] of Object.entries({ EN, IT })) {
  test(`every step, action of the audit log and obstacle has words in ${language}`, () => {
    assert.deepEqual(
      KEYS.filter((key) => !Object.hasOwn(texts, key)),
      [],
    );
  });
}

test('every reason of a refusal has words in Italian, and the last of them fits any refusal', () => {
  assert.deepEqual([...FAULTS_IT.keys()].toSorted(), Object.keys(REASONS).toSorted());
  for (const [reason, texts] of FAULTS_IT)
    assert.doesNotMatch(texts.at(-1) ?? '{}', /\{(?!detail\})/, reason);
});

test('a refusal is said in Italian with its figures, or with the sentence of the daemon', () => {
  const refusal = { message: 'the file has 9 bytes', reason: 'too_large', field: 'file', metadata: {} };
  assert.equal(sayFault(refusal), 'the file has 9 bytes');
  language.set('it');
  assert.equal(sayFault(refusal), 'È troppo grande: the file has 9 bytes');
  const metadata = { actual_bytes: '9', maximum_bytes: '5' };
  assert.equal(sayFault({ ...refusal, metadata }), 'Il file ha 9 byte, il massimo è 5.');
});

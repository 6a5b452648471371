/** Codes that the page meets have words in both languages: steps of an analysis, actions of the audit log, obstacles to a sign-off. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EN } from '../../page/texts/en.ts';
import { IT } from '../../page/texts/it.ts';
import { AUDIT_ACTIONS } from '../../src/domain/custody/audit-actions.ts';
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

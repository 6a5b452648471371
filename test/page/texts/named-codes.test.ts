import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ADVICE_IT, FAULTS_IT, sayFault } from '../../../page/texts/daemon/faults.ts';
import { EN } from '../../../page/texts/en.ts';
import { IT } from '../../../page/texts/it.ts';
import { language } from '../../../page/texts/language.ts';
import { AUDIT_ACTIONS } from '../../../src/domain/custody/audit-actions.ts';
import { REASONS } from '../../../src/domain/errors.ts';
import { PROGRESS_STEPS } from '../../../src/domain/records/progress-steps.ts';
import { SIGN_OFF_OBSTACLES } from '../../../src/domain/records/sign-off.ts';

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

const DOCTOR = new URL('../../../src/app/appliance/doctor/', import.meta.url);
/** What the doctor examines, by the names in its sources: `bad('clock', …)`, and `const name = \`model …\`` of several. */
const EXAMINED = new Set(
  readdirSync(DOCTOR).flatMap((file) => {
    const source = readFileSync(new URL(file, DOCTOR), 'utf8');
    const names = /(?:good|notice|bad)\)?\(\s*'([a-z ]+)'|const name = `([a-z ]+) \$/g;
    return [...source.matchAll(names)].map(([, one, several]) => one ?? several ?? '');
  }),
);

test('every part of the box that is examined has a name in both languages, and advice in Italian', () => {
  assert.ok(EXAMINED.size > 20, [...EXAMINED].join());
  const lacking = [...EXAMINED].filter(
    (part) => !Object.hasOwn(EN, `examined_${part}`) || !Object.hasOwn(IT, `examined_${part}`),
  );
  assert.deepEqual(lacking, []);
  // Nothing is ever wrong with these.
  const silent = ['libraries'];
  assert.deepEqual([...ADVICE_IT.keys(), ...silent].toSorted(), [...EXAMINED].toSorted());
});

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

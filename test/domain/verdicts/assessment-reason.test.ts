import { deepEqual, equal, notEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { sortReasons } from '../../../src/domain/records/finding-words.ts';
import { inOrderOfWeight, reason } from '../../../src/domain/verdicts/assessment-reason.ts';
import { mostSuspiciousMoment } from '../../../src/domain/verdicts/suspicious-moment.ts';

const unjudged = reason('FACES_NOT_JUDGED', { reason: 'no face was found' });
const leans = reason('MODEL_LEANS_HUMAN', { share: '3 %', band: 'strong', errors: '' });
const signed = reason('SIGNED_GENERATED', { name: 'OpenAI' });
const pressed = reason('HEAVILY_COMPRESSED');
const codesOf = (reasons: readonly { code: string }[]): string[] => reasons.map(({ code }) => code);

test('a signed generation stands first, and what was not judged last', () => {
  const ordered = inOrderOfWeight([unjudged, pressed, leans, signed]);
  deepEqual(codesOf(ordered), codesOf([signed, leans, pressed, unjudged]));
});

const SORTED: [outcome: string, supporting: string[], against: string[]][] = [
  ['artificial', ['SIGNED_GENERATED'], ['MODEL_LEANS_HUMAN', 'HEAVILY_COMPRESSED']],
  ['HUMAN', ['MODEL_LEANS_HUMAN'], ['SIGNED_GENERATED', 'HEAVILY_COMPRESSED']],
  ['inconclusive', ['HEAVILY_COMPRESSED'], ['SIGNED_GENERATED', 'MODEL_LEANS_HUMAN']],
];

for (const [outcome, supporting, against] of SORTED) {
  test(`${outcome}: for, against, and notes`, () => {
    const sorted = sortReasons(outcome, [signed, leans, pressed, unjudged]);
    deepEqual([codesOf(sorted.for), codesOf(sorted.against)], [supporting, against]);
    deepEqual(codesOf(sorted.notes), ['FACES_NOT_JUDGED']);
  });
}

test('a sentence has its gaps filled in both languages', () => {
  for (const { said } of [unjudged, leans, signed, pressed]) {
    notEqual(said.en, said.it);
    equal(/[{}]/.test(said.en + said.it), false);
  }
});

test('a place that does not lean to an artificial origin is not the most suspicious', () => {
  const at = (...probabilities: (number | null)[]) =>
    mostSuspiciousMoment(probabilities.map((probability, seconds) => ({ seconds, probability })));
  equal(at(0.1, 0.49, null), null);
  deepEqual(at(0.1, 0.5, 0.5), { seconds: 1, probability: 0.5 });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ComparedFile,
  type ComparedReadings,
  compareAnswers,
} from '../../../src/domain/verdicts/answers-compared.ts';

const READINGS: ComparedReadings = {
  unchanged: 'yes',
  signedBy: { answer: 'on_list', name: 'Test camera' },
  inTime: { answer: 'stamped', authority: 'Test time' },
  who: { answer: 'nobody', names: [] },
};
const SIGNED: ComparedFile = { readings: READINGS, mayHoldOne: false };
const NONE: ComparedFile = { readings: null, mayHoldOne: false };
const UNREAD: ComparedFile = { readings: null, mayHoldOne: true };

function changesOf(before: ComparedFile, after: ComparedFile): string[] {
  return compareAnswers(before, after).map(({ answer, change }) => `${answer} ${change}`);
}

test('answers that a copy lacks are lost; unreadable ones are unknown', () => {
  assert.deepEqual(changesOf(SIGNED, NONE), ['unchanged lost', 'signed_by lost', 'in_time lost']);
  assert.deepEqual(changesOf(SIGNED, UNREAD), ['unchanged unknown', 'signed_by unknown', 'in_time unknown']);
  assert.deepEqual(changesOf(NONE, NONE), []);
});

test('a signed export of an unsigned original adds answers, a person in it too', () => {
  const who = { answer: 'verified', names: ['A. Person'] } as const;
  const named: ComparedFile = { readings: { ...READINGS, who }, mayHoldOne: false };
  const added = ['unchanged added', 'signed_by added', 'in_time added', 'who added'];
  assert.deepEqual(changesOf(NONE, named), added);
  assert.equal(changesOf(named, SIGNED).at(-1), 'who lost');
});

test('an answer that speaks against the copy is broken, unless the original said the same', () => {
  const revoked = { ...READINGS, signedBy: { answer: 'revoked', name: 'Test camera' } } as const;
  const broken: ComparedFile = { readings: revoked, mayHoldOne: false };
  assert.ok(changesOf(SIGNED, broken).includes('signed_by broken'));
  assert.ok(changesOf(NONE, broken).includes('signed_by broken'));
  assert.ok(changesOf(broken, broken).includes('signed_by kept'));
});

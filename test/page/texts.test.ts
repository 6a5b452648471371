/**
 * Every text of the page exists in both languages, asks for the same figures in both, and counts one as one.
 *
 * Invariant: a text that reads the same in English and Italian is named here as a word of both.
 */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { EN, type TextKey } from '../../page/texts/en.ts';
import { IT } from '../../page/texts/it.ts';
import { fillText } from '../../src/domain/shown-text.ts';

const KEYS = Object.keys(EN) as TextKey[];

/** Words that both languages use, and names. */
const SAME: ReadonlySet<string> = new Set([
  'Account',
  'E-mail',
  'Password',
  'Video',
  'Audio',
  'File',
  'Account {id}',
  'Partner',
  '{hours} h',
  'Desk',
  'no',
  'web',
  'MP3, 64 kbit/s',
  '{origin} {via}',
  'Slack',
  'Microsoft Teams',
  'Mattermost',
  'provenance.trust_anchors_file',
  '{answer}: {before} → {after}',
]);

test('no text stands in one language only', () => {
  deepEqual(
    KEYS.filter((key) => EN[key] === IT[key] && !SAME.has(EN[key])),
    [],
  );
});

test('both languages ask for the same figures', () => {
  const gapsOf = (text: string): string[] => [
    ...new Set([...text.matchAll(/\{(\w+)/g)].map(([, name = '']) => name)),
  ];
  const apart = KEYS.filter((key) => gapsOf(EN[key]).sort().join() !== gapsOf(IT[key]).sort().join());
  deepEqual(apart, []);
});

test('one is counted as one', () => {
  for (const [texts, one, two] of [
    [EN, '1 record', '2 records'],
    [IT, '1 scheda', '2 schede'],
  ] as const) {
    equal(fillText(texts.loadedAll, { count: 1 }), one);
    equal(fillText(texts.loadedAll, { count: 2 }), two);
  }
  equal(fillText('{a} {b}', { a: 1 }), '1 {b}', 'what nobody gives stays seen');
});

test('nobody hands in, clears what ended, or is helped to think', () => {
  const odd = /hand(s|ed)? in\b|clear ended|help to think|at even prior odds/i;
  deepEqual(
    KEYS.filter((key) => odd.test(EN[key])),
    [],
  );
});

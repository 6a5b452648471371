import { deepEqual, equal } from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { EN, type TextKey } from '../../../page/texts/en.ts';
import { IT } from '../../../page/texts/it.ts';
import { fillText } from '../../../src/domain/shown-text.ts';
import { REASONS } from '../../../src/domain/verdicts/assessment-reason.ts';
import { REPORT_EN, REPORT_IT } from '../../../src/evidence/report/texts.ts';

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

test('a count of one is worded as one', () => {
  for (const [texts, one, two] of [
    [EN, 'Delete 1 record?', 'Delete 2 records?'],
    [IT, 'Eliminare 1 scheda?', 'Eliminare 2 schede?'],
  ] as const) {
    equal(fillText(texts.deleteMany, { count: 1 }), one);
    equal(fillText(texts.deleteMany, { count: 2 }), two);
  }
  equal(fillText('{a} {b}', { a: 1 }), '1 {b}', 'a gap without its value stays visible');
});

/** Gaps that take a number of things. */
const COUNTS =
  'artificial|clips|count|credits|days|files|flips|frames|images|judged|records|searched|shown|total';
/** Words that follow a number and are the same after one. */
const UNCOUNTED =
  'of|more|new|to|in|chosen|loaded|found|further|judged|measured|looked|di|da|su|dei|autorità|file';

test('a counted word has a form for one', () => {
  const bare = new RegExp(`\\{(?:${COUNTS})\\}\\s+(?!(?:${UNCOUNTED})(?!\\p{L}))\\p{L}`, 'u');
  const texts = [
    ...Object.entries(EN),
    ...Object.entries(IT),
    ...Object.entries(REASONS).flatMap(([code, [, en, it]]) => [
      [code, en],
      [code, it],
    ]),
    ...Object.entries(REPORT_EN),
    ...Object.entries(REPORT_IT),
  ];
  deepEqual(
    texts.filter(([, text = '']) => bare.test(text)),
    [],
  );
});

test('a command words a count of one as one', () => {
  const bare = /\$\{[^}]*\} (?:days|entries|faults|files|frames|packages|records|rows)\b/;
  const folder = fileURLToPath(new URL('../../../src/cli', import.meta.url));
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
    .filter((line) => bare.test(line) && !/at most|at least/.test(line));
  deepEqual(found, []);
});

test('no text of the page uses words of the old wording', () => {
  const odd = /hand(s|ed)? in\b|clear ended|help to think|at even prior odds/i;
  deepEqual(
    KEYS.filter((key) => odd.test(EN[key])),
    [],
  );
});

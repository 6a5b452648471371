import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBeside, isEcho, type LevelledSegment } from '../../../src/domain/transcripts/echoes.ts';

function said(channel: number, text: string, levelDb: number, startSeconds = 0): LevelledSegment {
  const segment = {
    startSeconds,
    endSeconds: startSeconds + 3,
    text,
    confidence: 0.9,
    language: 'en',
    channel,
  };
  return { segment, levelDb };
}

const LOUD = said(1, 'I have a problem with my water softener', -26);

const CASES: readonly { name: string; own: LevelledSegment; expected: boolean }[] = [
  {
    name: 'the same words, quieter',
    own: said(2, 'I have a problem with my water thickness.', -46),
    expected: true,
  },
  { name: 'a part of them', own: said(2, 'with my water softener', -40), expected: true },
  { name: 'other words, quieter', own: said(2, 'Yes, that is what I have heard', -46), expected: false },
  {
    name: 'the same words, as loud',
    own: said(2, 'I have a problem with my water softener', -28),
    expected: false,
  },
  {
    name: 'own words and a few of the other',
    own: said(2, 'a problem, you say? Which one do you mean', -46),
    expected: false,
  },
];

for (const { name, own, expected } of CASES) {
  test(`an echo: ${name}`, () => assert.equal(isEcho(own, [LOUD]), expected));
}

test('an echo may begin in one segment of the louder channel and end in the next', () => {
  const next = said(1, 'and the overflow keeps dripping', -25, 3);
  const own = said(2, 'my water softener and the overflow keeps dripping', -45, 1);
  assert.ok(isEcho(own, [LOUD, next]));
  assert.ok(!isEcho(own, []));
});

test('beside is what another channel says at the same time', () => {
  assert.ok(isBeside(LOUD, said(2, 'x', -40, 3.5)), 'the times of segments are not exact');
  assert.ok(!isBeside(LOUD, said(2, 'x', -40, 5)));
  assert.ok(!isBeside(LOUD, said(1, 'x', -40, 1)), 'one channel has no echo of itself');
});

test('words without spaces between them are compared too', () => {
  assert.ok(isEcho(said(2, '今日は天気がいいですね', -50), [said(1, '今日は天気がいい', -30)]));
});

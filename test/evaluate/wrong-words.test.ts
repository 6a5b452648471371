import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countWrongWords, toWords } from '../../evaluate/wrong-words.ts';

test('case and punctuation are no words', () => {
  assert.deepEqual(toWords('Qu’est-ce que l’on dit, “là-bas”?', 'fr'), [
    'qu’est',
    'ce',
    'que',
    'l’on',
    'dit',
    'là',
    'bas',
  ]);
});

test('signs of vowels belong to their word', () => {
  assert.deepEqual(toWords('ये विजयादशमी का पर्व', 'hi'), ['ये', 'विजयादशमी', 'का', 'पर्व']);
});

test('scripts without spaces are counted by letter', () => {
  assert.deepEqual(toWords('昨晚，我。', 'zh'), ['昨', '晚', '我']);
  assert.deepEqual(toWords('저 식당', 'ko'), ['저', '식당']);
});

test('replaced, missing and added words count one each', () => {
  const expected = ['a', 'b', 'c', 'd'];
  assert.equal(countWrongWords(expected, ['a', 'x', 'c', 'd']), 1);
  assert.equal(countWrongWords(expected, ['a', 'c', 'd', 'e']), 2);
  assert.equal(countWrongWords(expected, []), 4);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TRANSCRIPT_LANGUAGES } from '../../../src/domain/transcripts/languages.ts';
import { isInOwnScript } from '../../../src/domain/transcripts/scripts.ts';

test('a text in its own letters is taken, one in a neighbour’s is not', () => {
  const cases: [string, string, boolean][] = [
    ['hi', 'मैं आपके सुझाव का इंतज़ार करता हूँ', true],
    ['hi', 'نون کے سوجھاو کے لئے کا بھارو اقتر کرتا ہوں', false],
    ['hi', 'கார்கும் இது லுர் சோத்தா', false],
    ['ur', 'مجھے بھی سفا سا ہے', true],
    ['ru', 'Добрый день, это Москва', true],
    ['ru', 'Καλημέρα σας', false],
    ['ko', '안녕하세요 여러분', true],
  ];
  for (const [language, text, expected] of cases)
    assert.equal(isInOwnScript(text, language), expected, `${language}: ${text}`);
});

test('words in Latin letters are allowed in every language, and a name in other letters too', () => {
  assert.ok(isInOwnScript('Vijayadashami ka parva', 'hi'));
  assert.ok(isInOwnScript('आज सुबह YouTube पर देखा', 'hi'));
  assert.ok(isInOwnScript('Она прочитала вслух слово λόγος и закрыла книгу', 'ru'));
});

test('a language of several scripts, an unknown one and a text without letters are taken as they are', () => {
  for (const language of ['ja', 'zh', 'sr', 'kk', 'pa', 'en', 'xx'])
    assert.ok(isInOwnScript('سلام', language));
  assert.ok(isInOwnScript('12:30 …', 'hi'));
});

test('every language with letters of its own is one that the model knows', () => {
  for (const language of TRANSCRIPT_LANGUAGES) assert.equal(isInOwnScript('', language), true);
  // A script that the regular expressions do not know would throw.
  for (const language of TRANSCRIPT_LANGUAGES) assert.doesNotThrow(() => isInOwnScript('a', language));
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBelieved } from '../../../src/worker/inference/transcription/transcribe-window.ts';

const SURE = { meanLogProbability: -0.4, compression: 1.2 };
const HINDI = { language: 'hi', noSpeech: 0.1 };

test('a text in letters that its language is not written in is not believed, however sure the model is', () => {
  assert.ok(isBelieved({ ...SURE, text: 'मैं इंतज़ार करता हूँ' }, HINDI));
  assert.ok(!isBelieved({ ...SURE, text: 'کا بھارو اقتر کرتا ہوں' }, HINDI));
  assert.ok(isBelieved({ ...SURE, text: 'کا بھارو اقتر کرتا ہوں' }, { ...HINDI, language: 'ur' }));
});

test('a text that repeats itself, that is hardly believed, or that stands in silence is not believed', () => {
  const heard = { language: 'en', noSpeech: 0.1 };
  const text = 'You heard that';
  assert.ok(isBelieved({ ...SURE, text }, heard));
  assert.ok(!isBelieved({ ...SURE, text, compression: 2.5 }, heard));
  assert.ok(!isBelieved({ ...SURE, text, meanLogProbability: -1.1 }, heard));
  assert.ok(!isBelieved({ ...SURE, text, meanLogProbability: -0.6 }, { ...heard, noSpeech: 0.7 }));
});

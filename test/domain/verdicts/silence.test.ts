import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSilence, silenceSentence } from '../../../src/domain/verdicts/silence.ts';

test('a stored sentence is read in Italian with its figures, an unknown one as it is', () => {
  const stored = silenceSentence('too_small', { width: 90, height: 64, needed: 128 });
  assert.deepEqual(readSilence(stored), {
    en: 'The picture has 90 × 64 pixels; the model needs 128 on the short side.',
    it: 'L’immagine ha 90 × 64 pixel; il modello ne vuole 128 sul lato corto.',
  });
  const speech = silenceSentence('little_speech', { seconds: '1.5', needed: 2 });
  assert.equal(readSilence(speech).it, 'L’audio contiene 1.5 s di parlato; il modello ne vuole 2 s.');
  assert.deepEqual(readSilence('An older reason.'), { en: 'An older reason.', it: 'An older reason.' });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isHeardAgain, poolLanguages } from '../../../src/domain/transcripts/spoken-language.ts';

const heard = (shares: Record<string, number>, seconds = 29, noSpeech = 0) => ({
  languages: Object.entries(shares).map(([code, share]) => ({ code, share })),
  seconds,
  noSpeech,
});

test('a jingle in front decides nothing once people speak', () => {
  const pooled = poolLanguages([heard({ th: 0.6, de: 0.2 }, 4), heard({ de: 0.97 })]);
  assert.equal(pooled?.code, 'de');
  assert.ok((pooled?.share ?? 0) > 0.8);
});

test('windows with hardly any speech weigh little', () => {
  const pooled = poolLanguages([heard({ nn: 0.9 }, 29, 0.9), heard({ it: 0.6, es: 0.3 }, 10)]);
  assert.equal(pooled?.code, 'it');
});

test('several windows that are not sure agree on one', () => {
  const pooled = poolLanguages([
    heard({ pt: 0.4, gl: 0.5 }),
    heard({ pt: 0.5, es: 0.4 }),
    heard({ pt: 0.6 }),
  ]);
  assert.equal(pooled?.code, 'pt');
});

test('no speech gives no language', () => {
  assert.equal(poolLanguages([]), null);
  assert.equal(poolLanguages([heard({ en: 1 }, 29, 1)]), null);
});

test('only a window that was unsure of another language is heard again', () => {
  assert.equal(isHeardAgain(heard({ th: 0.6 }), 'de'), true);
  assert.equal(isHeardAgain(heard({ th: 0.9 }), 'de'), false);
  assert.equal(isHeardAgain(heard({ de: 0.3 }), 'de'), false);
});

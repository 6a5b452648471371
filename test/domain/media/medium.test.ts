import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sayMedium, toMediumChances } from '../../../src/domain/media/medium.ts';

test('probabilities of media are the softmax of their mean logits, however large these are', () => {
  const chances = toMediumChances(['drawing', 'photograph', 'text'], [1000, 1000 + Math.log(3), -1000]);
  assert.deepEqual(Object.keys(chances), ['drawing', 'photograph', 'text']);
  assert.ok(Math.abs((chances.photograph ?? 0) - 0.75) < 1e-9);
  assert.ok(Math.abs((chances.drawing ?? 0) - 0.25) < 1e-9);
  assert.equal(chances.text, 0);
});

test('a medium is said from a probability of .6 on', () => {
  assert.equal(sayMedium({ photograph: 0.6, drawing: 0.4 }), 'photograph');
  assert.equal(sayMedium({ photograph: 0.59, drawing: 0.41 }), 'unknown');
  assert.equal(sayMedium({}), 'unknown');
});

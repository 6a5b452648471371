import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JudgingPack } from '../../../src/domain/packs/model-pack.ts';
import { logistic } from '../../../src/domain/verdicts/heuristics.ts';
import {
  calibrate,
  toAnsweredRun,
  toPlaceSpread,
  toProbabilities,
  toStabilityVariant,
} from '../../../src/engine/analyses/calibration.ts';

const LINE = { type: 'platt', slope: 1.5, intercept: -0.5, set: 'made' } as const;
const TOGETHER = {
  packs: ['a@1.0.0', 'b@1.0.0'],
  cautiousThreshold: 0.8,
  inconclusiveLow: 0.3,
  inconclusiveHigh: 0.7,
};
const PACK = {
  ...{ id: 'a', version: '1.0.0', task: 'image-origin', axis: 'generated', calibration: LINE },
  decision: {
    cautiousThreshold: 0.9,
    inconclusiveLow: 0.4,
    inconclusiveHigh: 0.6,
    weight: 2,
    together: TOGETHER,
  },
} as JudgingPack;

test('without a floor the calibration is the line', () => {
  assert.equal(calibrate({ calibration: LINE }, 2), 2.5);
});

test('a floor holds the probability up, however human the score, and loses nothing at the other end', () => {
  const calibration = { ...LINE, floor: 0.2 };
  for (const logit of [-1000, -3, 0, 2, 8]) {
    const expected = 0.2 + 0.8 * logistic(LINE.slope * logit + LINE.intercept);
    assert.ok(Math.abs(logistic(calibrate({ calibration }, logit)) - expected) < 1e-12, `logit ${logit}`);
  }
  assert.ok(Math.abs(calibrate({ calibration }, 1000) - (1499.5 - Math.log(0.8))) < 1e-9);
});

test('a run is the calibrated mean of its logits and remembers the bounds of its pack', () => {
  const run = toAnsweredRun(PACK, { logits: Float32Array.of(1, 3), elapsedMs: 500, device: 'cpu' });
  assert.deepEqual([run.logit, run.logOdds, run.probability], [2, 2.5, logistic(2.5)]);
  assert.deepEqual([run.weight, run.cautiousThreshold, run.together], [2, 0.9, TOGETHER]);
  assert.equal(run.elapsedSeconds, 0.5);
});

test('places lie apart by the deviation of their calibrated answers; one place says nothing', () => {
  assert.deepEqual(toPlaceSpread(PACK, Float32Array.of(1, 3)), { count: 2, spread: 1.5 });
  assert.deepEqual(toPlaceSpread(PACK, Float32Array.of(2, 2, 2)), { count: 3, spread: 0 });
  assert.equal(toPlaceSpread(PACK, Float32Array.of(2)), null);
  assert.equal(toPlaceSpread(PACK, Float32Array.of(1, Number.POSITIVE_INFINITY)), null);
});

test('a logit that is no number is no answer', () => {
  const run = toAnsweredRun(PACK, { logits: Float32Array.of(1, Number.NaN), elapsedMs: 1, device: 'cpu' });
  assert.deepEqual([run.unknown, run.logit, run.reason], [true, null, 'The model gave no number.']);
  assert.equal(toStabilityVariant('jpeg-60', [run]), null);
});

test('each patch of a heatmap is calibrated alike', () => {
  const [first, second] = toProbabilities(PACK, Float32Array.of(0, 1));
  assert.deepEqual([first, second], [logistic(-0.5), logistic(1)]);
});

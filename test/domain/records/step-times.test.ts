import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StepTimes } from '../../../src/domain/records/step-times.ts';

test('the times of a step are summed and counted, in the order in which each ended first', () => {
  const steps = new StepTimes();
  for (const [step, seconds] of [
    ['queue', 0.5],
    ['models', 0.1],
    ['batch-wait', 0.00404],
    ['models', 0.2],
  ] as const) {
    steps.add(step, seconds);
  }
  assert.deepEqual(steps.toList(), [
    { step: 'queue', seconds: 0.5, times: 1 },
    { step: 'models', seconds: 0.3, times: 2 },
    { step: 'batch-wait', seconds: 0.004, times: 1 },
  ]);
});

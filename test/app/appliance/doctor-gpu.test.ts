import { equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { describeGpu } from '../../../src/app/appliance/doctor/devices.ts';

const seen = 'NVIDIA H200, 580.159.04, 408 MiB, 143771 MiB';

function judge(used: string[], providers: string[]) {
  return describeGpu({ isThere: true, seen, used: new Set(used), providers });
}

test('a card that runs models is good, by whichever provider', () => {
  for (const provider of ['tensorrt', 'cuda', 'webgpu'])
    equal(judge([provider, 'cpu'], [provider, 'cpu']).state, 'good', provider);
});

test('for a card that no setting names, the doctor says which setting names it', () => {
  const { state, advice } = judge(['cpu'], ['cpu']);
  equal(state, 'notice');
  match(advice ?? '', /^set inference\.providers/);
});

test('for a card that is set and runs nothing, the doctor does not ask for the same setting', () => {
  const { state, advice } = judge(['cpu'], ['cuda', 'cpu']);
  equal(state, 'notice');
  match(advice ?? '', /^the models above say what keeps them from cuda;/);
});

test('a box without a card is good', () => {
  equal(describeGpu({ isThere: false, seen, used: new Set(['cpu']), providers: ['cpu'] }).state, 'good');
});

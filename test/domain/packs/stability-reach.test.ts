import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isClear, type ReachedRun, type StabilityReach } from '../../../src/domain/packs/stability-reach.ts';

const REACH: StabilityReach = {
  ...{ measuredBy: 'nobody', pictures: 1, flips: 0 },
  logOdds: { 'jpeg-60': { human: 1, artificial: 0.5 }, 'scale-75': { human: 2, artificial: 0.25 } },
};

const said = (logOdds: number | null, reach: StabilityReach | undefined = REACH): ReachedRun => ({
  run: { unknown: logOdds === null, logOdds },
  reach,
});

const CASES: [string, ReachedRun[], 'jpeg-60' | 'scale-75', boolean][] = [
  ['a human answer beyond the reach', [said(-1.01)], 'jpeg-60', true],
  ['one at its end', [said(-1)], 'jpeg-60', false],
  ['one that another kind of copy reaches', [said(-1.01)], 'scale-75', false],
  ['an artificial answer beyond its own reach', [said(0.51)], 'jpeg-60', true],
  ['one within it', [said(0.5)], 'jpeg-60', false],
  ['even odds', [said(0)], 'scale-75', false],
  ['two models that agree', [said(-3), said(-1.5)], 'jpeg-60', true],
  ['two that agree, one within the reach', [said(-3), said(-0.9)], 'jpeg-60', false],
  ['two clear ones that contradict each other', [said(-3), said(3)], 'jpeg-60', false],
  ['one that did not answer', [said(-3), said(null)], 'jpeg-60', false],
  ['one whose reach was not measured', [said(-3), { ...said(-3), reach: undefined }], 'jpeg-60', false],
  ['no model at all', [], 'jpeg-60', false],
];

for (const [name, answers, variant, expected] of CASES) {
  test(`${name}: ${expected ? 'clear' : 'not clear'}`, () => {
    assert.equal(isClear(answers, variant), expected);
  });
}

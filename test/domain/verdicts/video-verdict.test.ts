import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge } from '../../../src/domain/verdicts/heuristics.ts';
import type { ModelRun } from '../../../src/domain/verdicts/result.ts';
import { judgeVideo, poolFrames } from '../../../src/domain/verdicts/video-verdict.ts';

function run(logOdds: number | null, model = 'm'): ModelRun {
  const isKnown = logOdds !== null;
  return {
    ...{ model, version: '1.0.0', task: 'image-origin', axis: 'generated', unknown: !isKnown, reason: '' },
    ...{ logit: logOdds, logOdds, probability: isKnown ? 1 / (1 + Math.exp(-logOdds)) : null },
    ...{ cautiousThreshold: 0.9, inconclusiveLow: 0.4, inconclusiveHigh: 0.6, weight: 1 },
    ...{ elapsedSeconds: 1, device: 'cpu' },
  };
}

test('the most suspicious fifth decides, two frames at least', () => {
  const frames = [3, 2, 1, 0, -1, -2, -3, -4, -5, -6, -7, -8, -9, -9, -9].map((logOdds) => [run(logOdds)]);
  const [pooled] = poolFrames(frames);
  assert.equal(pooled?.logOdds, 2);
  assert.equal(pooled?.elapsedSeconds, 15);
  assert.equal(poolFrames(frames.slice(0, 5))[0]?.logOdds, 2.5);
  assert.equal(poolFrames(frames.slice(0, 1))[0]?.logOdds, 3);
});

test('a score pooled over frames has no places of its own', () => {
  const seen = (logOdds: number): ModelRun => ({ ...run(logOdds), places: { count: 16, spread: 1 } });
  const [pooled] = poolFrames([[seen(1)], [seen(2)]]);
  assert.equal(pooled?.logOdds, 1.5);
  assert.ok(pooled !== undefined && !('places' in pooled));
});

test('one odd frame of ten does not accuse', () => {
  const frames = [3, -4, -4, -4, -4, -4, -4, -4, -4, -4].map((logOdds) => [run(logOdds)]);
  const [verdict] = judgeVideo(poolFrames(frames), false, []);
  assert.equal(verdict?.classification, 'human');
});

test('frames without an answer do not count, and none at all is unknown', () => {
  assert.equal(poolFrames([[run(null)], [run(1)], [run(null)]])[0]?.logOdds, 1);
  const pooled = poolFrames([[run(null)], [run(null)]]);
  assert.deepEqual([pooled[0]?.unknown, pooled[0]?.logOdds], [true, null]);
  const [verdict] = judgeVideo(pooled, false, [judge([run(null)], false)]);
  assert.deepEqual(
    [verdict?.unknown, verdict?.count, verdict?.classification, verdict?.confidence, verdict?.models],
    [true, 0, 'human', 0.5, []],
  );
});

test('each model is pooled for itself', () => {
  const pooled = poolFrames([
    [run(2, 'a'), run(-2, 'b')],
    [run(1, 'a'), run(-1, 'b')],
  ]);
  assert.deepEqual(
    pooled.map(({ model, logOdds }) => [model, logOdds]),
    [
      ['a', 1.5],
      ['b', -1.5],
    ],
  );
});

test('a count is the parts that agree; a signature forces all of them', () => {
  const runs = [[run(3)], [run(2)], [run(-3)]];
  const free = judgeVideo(
    poolFrames(runs),
    false,
    runs.map((frame) => judge(frame, false)),
  );
  assert.deepEqual([free[0]?.classification, free[0]?.count, free[0]?.unknown], ['artificial', 2, false]);
  const forced = judgeVideo(
    poolFrames(runs),
    true,
    runs.map((frame) => judge(frame, true)),
  );
  assert.deepEqual([forced[0]?.confidence, forced[0]?.count, forced[0]?.models], [1, 3, ['c2pa']]);
});

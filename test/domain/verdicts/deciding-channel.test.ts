import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assessRuns } from '../../../src/domain/verdicts/assessment.ts';
import { decidingChannel, decidingRuns } from '../../../src/domain/verdicts/deciding-channel.ts';
import type { ChannelResult, ModelRun } from '../../../src/domain/verdicts/result.ts';

function channel(name: string, ...odds: (number | null)[]): ChannelResult {
  const runs = odds.map(
    (logOdds, index): ModelRun => ({
      ...{ model: `speech-${index}`, version: '1.0.0', task: 'speech-origin', axis: 'generated', reason: '' },
      ...{ unknown: logOdds === null, logit: logOdds, logOdds, elapsedSeconds: 1, device: 'cpu', weight: 1 },
      probability: logOdds === null ? null : 1 / (1 + Math.exp(-logOdds)),
      ...{ cautiousThreshold: 0.9, inconclusiveLow: 0.4, inconclusiveHigh: 0.6 },
    }),
  );
  return { name, speechSeconds: 4, runs };
}

test('the most suspicious channel decides, by all of its models', () => {
  const channels = [channel('channel-1', 3, -4), channel('channel-2', 1, 1)];
  assert.equal(decidingChannel(channels)?.name, 'channel-2');
  assert.equal(decidingChannel(channels.toReversed())?.name, 'channel-2');
});

test('a channel without an answer does not decide, and none decides if none answered', () => {
  assert.equal(decidingChannel([channel('channel-1', null), channel('channel-2', -5)])?.name, 'channel-2');
  assert.equal(decidingChannel([channel('channel-1', null), channel('channel-2')]), null);
  assert.equal(decidingChannel([]), null);
});

test('a voice beside another is called artificial only above the cautious threshold', () => {
  const channels = [channel('channel-1', -2), channel('channel-2', 1)];
  const runs = decidingRuns(channels);
  assert.deepEqual(
    runs?.map(({ logOdds, inconclusiveLow, inconclusiveHigh }) => ({
      logOdds,
      inconclusiveLow,
      inconclusiveHigh,
    })),
    [{ logOdds: 1, inconclusiveLow: 0.4, inconclusiveHigh: 0.9 }],
  );
  assert.equal(assessRuns(channels[1]?.runs ?? []).state, 'artificial');
  assert.equal(assessRuns(runs ?? []).state, 'inconclusive');
  assert.equal(decidingRuns([]), null);
});

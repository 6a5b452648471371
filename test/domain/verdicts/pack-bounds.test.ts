import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ImagePack, SpeechPack } from '../../../src/domain/packs/model-pack.ts';
import { modelPackSchema } from '../../../src/domain/packs/model-pack.ts';
import { boundedByMedium, boundedBySpeech } from '../../../src/domain/verdicts/pack-bounds.ts';
import { toUnknownRun } from '../../../src/engine/analyses/calibration.ts';

const BOUNDS = { cautiousThreshold: 0.9, inconclusiveLow: 0.4, inconclusiveHigh: 0.6 };
const WIDE = { cautiousThreshold: 0.95, inconclusiveLow: 0.2, inconclusiveHigh: 0.8 };

function speech(seconds: number, upperBandDb: number | null = -20, codec = 'pcm_s16le') {
  return { seconds, upperBandDb, codec };
}

function makePack(decision: object): SpeechPack {
  const pack = modelPackSchema.parse({
    ...{ schema: 1, id: 'some-speech', version: '1.0.0', name: 'Some speech', task: 'speech-origin' },
    ...{ mediaKind: 'audio', axis: 'generated', file: 'model.onnx', sha256: '0'.repeat(64) },
    input: { name: 'sound', layout: 'samples', sampleRate: 16_000 },
    view: { type: 'windows', windowSamples: 20_480, hopSamples: 10_240, countMax: 256 },
    output: { name: 'logit', type: 'logit', positive: 'artificial', aggregation: 'mean' },
    calibration: { type: 'platt', slope: 1, intercept: 0, set: 'none' },
    decision: { ...BOUNDS, weight: 1, ...decision },
    ...{ minimumSpeechSeconds: 1.2, licence: 'MIT', source: 'a test', trainedOn: 'nothing', figures: [] },
    golden: { seed: 1, tolerance: 0.001, expected: [0] },
  });
  assert.ok(pack.task === 'speech-origin');
  return pack;
}

test('little speech widens the bounds, of the pack and of the fused score', () => {
  const packs = ['some-speech@1.0.0', 'other-speech@1.0.0'];
  const short = { belowSpeechSeconds: 2, ...WIDE, together: { ...WIDE, inconclusiveLow: 0.1 } };
  const pack = makePack({ together: { packs, ...BOUNDS }, short });
  assert.equal(boundedBySpeech(pack, speech(2)), pack);
  assert.deepEqual(boundedBySpeech(pack, speech(1.9)).decision, {
    ...{ ...WIDE, weight: 1 },
    together: { packs, ...WIDE, inconclusiveLow: 0.1 },
  });
});

test('a fused score of little speech that was never measured has no bounds of its own', () => {
  const packs = ['some-speech@1.0.0', 'other-speech@1.0.0'];
  const pack = makePack({ together: { packs, ...BOUNDS }, short: { belowSpeechSeconds: 2, ...WIDE } });
  assert.deepEqual(boundedBySpeech(pack, speech(1)).decision, { ...WIDE, weight: 1 });
});

test('a pack without such bounds decides alike about little speech', () => {
  const pack = makePack({});
  assert.equal(boundedBySpeech(pack, speech(0.5)), pack);
});

test('a narrow band has bounds of its own, and the run says so', () => {
  const packs = ['some-speech@1.0.0', 'other-speech@1.0.0'];
  const short = { belowSpeechSeconds: 2, ...WIDE, together: WIDE };
  const own = { cautiousThreshold: 0.8, inconclusiveLow: 0.3, inconclusiveHigh: 0.5 };
  const narrow = { belowUpperBandDb: -50, ...own, together: { ...own, inconclusiveLow: 0.2 } };
  const pack = makePack({ together: { packs, ...BOUNDS }, short, narrow });
  const bounded = boundedBySpeech(pack, speech(7, -50.1));
  assert.deepEqual(bounded.decision, {
    ...own,
    weight: 1,
    together: { packs, ...own, inconclusiveLow: 0.2 },
  });
  assert.equal(toUnknownRun(bounded, 'flat').boundsFor, 'narrow-band');
  assert.equal(boundedBySpeech(pack, speech(7, -50)), pack);
  assert.equal('boundsFor' in toUnknownRun(pack, 'flat'), false);
});

test('a band that was not measured has the usual bounds, and little speech of a narrow band those of little speech', () => {
  const own = { cautiousThreshold: 0.8, inconclusiveLow: 0.3, inconclusiveHigh: 0.5 };
  const short = { belowSpeechSeconds: 2, ...WIDE };
  const pack = makePack({ short, narrow: { belowUpperBandDb: -50, ...own } });
  assert.equal(boundedBySpeech(pack, speech(7, null)), pack);
  const bounded = boundedBySpeech(pack, speech(1, -80));
  assert.deepEqual([bounded.boundsFor, bounded.decision.cautiousThreshold], ['short-speech', 0.95]);
});

test('codecs of speech have bounds of their own, before those of little speech and of a narrow band', () => {
  const coded = {
    codecs: ['speex', 'amr_nb'],
    cautiousThreshold: 1,
    inconclusiveLow: 0,
    inconclusiveHigh: 1,
  };
  const pack = makePack({
    coded,
    short: { belowSpeechSeconds: 2, ...WIDE },
    narrow: { belowUpperBandDb: -50, ...BOUNDS },
  });
  const bounded = boundedBySpeech(pack, speech(1, -80, 'amr_nb'));
  assert.equal(toUnknownRun(bounded, 'flat').boundsFor, 'speech-codec');
  const { cautiousThreshold, inconclusiveLow, inconclusiveHigh } = bounded.decision;
  assert.deepEqual([cautiousThreshold, inconclusiveLow, inconclusiveHigh], [1, 0, 1]);
  assert.equal(boundedBySpeech(pack, speech(7, -80, 'opus')).boundsFor, 'narrow-band');
});

test('a picture that is probably no photograph has bounds of its own, and the run says so', () => {
  const noPhotograph = { photographBelow: 0.25, ...WIDE };
  const pack = { id: 'a', decision: { ...BOUNDS, weight: 1, noPhotograph } } as ImagePack;
  assert.equal(boundedByMedium(pack, undefined), pack);
  assert.equal(boundedByMedium(pack, { photograph: 0.25, drawing: 0.75 }), pack);
  const bounded = boundedByMedium(pack, { photograph: 0.24, drawing: 0.76 });
  assert.deepEqual(bounded.decision, { ...WIDE, weight: 1 });
  assert.equal(toUnknownRun(bounded, 'flat').boundsFor, 'no-photograph');
  const plain = { id: 'a', decision: { ...BOUNDS, weight: 1 } } as ImagePack;
  assert.equal(boundedByMedium(plain, { photograph: 0, drawing: 1 }), plain);
});

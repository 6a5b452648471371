import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  measureAudio,
  measureImage,
  measureVideo,
  type Reading,
} from '../../../src/domain/answers/measured.ts';
import { NO_PROVENANCE, type Provenance } from '../../../src/domain/provenance/provenance.ts';
import type { AudioResult, ImageResult, ModelRun, VideoResult } from '../../../src/domain/verdicts/result.ts';

const READING: Reading = { heuristic: 'cautious', policy: 'any', preventC2paForces: false };
const SIGNED: Provenance = {
  ...NO_PROVENANCE,
  declaredOrigin: 'captured',
  c2pa: {
    ...{ manifests: {}, active_manifest: 'urn:one', validation_state: 'Valid', validation_status: [] },
    validation_results: {
      activeManifest: { failure: [], success: [], informational: [] },
      ingredientDeltas: [],
    },
  },
};

function run(logOdds: number | null, task: ModelRun['task']): ModelRun {
  const probability = logOdds === null ? null : 1 / (1 + Math.exp(-logOdds));
  return {
    ...{ model: task, version: '1.0.0', task, axis: 'generated', unknown: logOdds === null, reason: '' },
    ...{ logit: logOdds, logOdds, probability, elapsedSeconds: 1, device: 'cpu', weight: 1 },
    ...{ cautiousThreshold: 0.9, inconclusiveLow: 0.4, inconclusiveHigh: 0.6 },
  };
}

function image(logOdds: number | null): ImageResult {
  return {
    ...{ kind: 'image', mime: 'image/png', width: 640, height: 480, pages: 1, nsfw: null, detections: [] },
    ...{ runs: [run(logOdds, 'image-origin')], provenance: NO_PROVENANCE, stability: [] },
    ...{ quality: { shortSide: 480, jpegQuality: null, truncated: false }, hasHeatmap: false },
  };
}

function audio(logOdds: number | null, provenance: Provenance = NO_PROVENANCE): AudioResult {
  const runs = [run(logOdds, 'speech-origin')];
  return {
    ...{ kind: 'audio', mime: 'audio/flac', durationSeconds: 8, sampleRate: 48_000, channelCount: 1 },
    ...{ speechSeconds: logOdds === null ? 0.5 : 7, damaged: false, runs, channels: [], provenance },
    clips: [{ index: 0, startSeconds: 0, endSeconds: 6, runs }],
  };
}

function video(
  images: readonly (number | null)[],
  sound: number | null,
  provenance = NO_PROVENANCE,
): VideoResult {
  const part = { hash: '0'.repeat(64), sizeBytes: 1, file: 'part' };
  return {
    ...{ kind: 'video', mime: 'video/mp4', width: 640, height: 480, durationSeconds: 8, nsfw: null },
    frames: images.map((logOdds, index) => ({
      ...{ ...part, identifier: String(index), timeSeconds: index, image: image(logOdds) },
    })),
    tracks: [{ ...part, identifier: 'track', audio: audio(sound) }],
    runs: [run(images[0] ?? null, 'image-origin'), run(sound, 'speech-origin')],
    ...{ damagedFrames: 1, withTrack: true, provenance },
  };
}

test('a signature of the container forces the video, its frames and its track', () => {
  const signed = video([-3, -2], -1, SIGNED);
  const measured = measureVideo(signed, READING);
  assert.deepEqual(
    measured.verdicts.map(({ classification, confidence, models, count, unknown }) => [
      ...[classification, confidence, models, count, unknown],
    ]),
    Array.from({ length: 4 }, () => ['artificial', 1, ['c2pa'], 3, false]),
  );
  const frame = measureImage(image(-3), READING, signed.provenance);
  assert.deepEqual([frame.verdict?.classification, frame.c2pa], ['artificial', SIGNED.c2pa]);
  const track = measureAudio(audio(-1), READING, signed.provenance);
  assert.deepEqual([track.verdict?.models, track.clips[0]?.verdict.models], [['c2pa'], ['c2pa']]);
  assert.equal(measured.assessment?.state, 'human');
});

test('a submission may ask that no signature forces, and a plan too', () => {
  const sound = audio(-3, SIGNED);
  for (const reading of [
    { ...READING, preventC2paForces: true },
    { ...READING, policy: 'never' as const },
    { ...READING, policy: 'generative' as const },
  ]) {
    assert.equal(measureAudio(sound, reading).verdict?.classification, 'human');
  }
});

test('the main verdict is the account’s heuristic', () => {
  assert.equal(measureAudio(audio(1), READING).verdict?.heuristic, 'cautious');
  assert.equal(measureAudio(audio(1), READING).verdict?.classification, 'human');
  assert.equal(
    measureAudio(audio(1), { ...READING, heuristic: 'balanced' }).verdict?.classification,
    'artificial',
  );
});

test('a video of which no model can say anything is unknown and not accused', () => {
  const { verdict, assessment } = measureVideo(video([null, null], null), READING);
  assert.deepEqual(
    [verdict?.classification, verdict?.confidence, verdict?.models, verdict?.count, verdict?.unknown],
    ['human', 0.5, [], 0, true],
  );
  assert.equal(assessment?.state, 'not_applicable');
});

test('an assessment says what a reader of a video should know', () => {
  const codes = measureVideo(video([-4, -4], 4), READING).assessment?.reasons.map(({ code }) => code);
  assert.ok(codes?.includes('PICTURES_AND_VOICE_DIFFER'), String(codes));
  assert.ok(codes?.includes('DAMAGED_FRAMES'), String(codes));
});

test('an assessment of a video names the part that decided, and what each part said', () => {
  const decidedOf = (seen: number | null, faces: number | null, heard: number | null) => {
    const result = video([seen], heard);
    const runs = [...result.runs, run(faces, 'face-origin')];
    const reasons = measureVideo({ ...result, runs }, READING).assessment?.reasons ?? [];
    const found = reasons.filter(({ code }) => code.startsWith('DECIDED_BY_'));
    assert.ok(found.length <= 1);
    return found[0] ?? null;
  };
  const byFrames = decidedOf(2, 1, -1);
  assert.equal(byFrames?.code, 'DECIDED_BY_FRAMES');
  assert.equal(
    byFrames.sentence,
    'The frames decided; chance of AI by part: frames 88 %, faces 73 %, voice 27 %.',
  );
  assert.equal(decidedOf(1, 3, -1)?.code, 'DECIDED_BY_FACES');
  assert.equal(decidedOf(1, -2, -3)?.code, 'DECIDED_BY_VOICE');
  assert.match(decidedOf(-1, null, null)?.sentence ?? '', /by part: frames 27 %\.$/);
  assert.equal(decidedOf(null, null, null), null);
});

test('the more suspicious of two voices is named', () => {
  const channels = [
    { name: 'channel-1', speechSeconds: 4, runs: [run(-3, 'speech-origin')] },
    { name: 'channel-2', speechSeconds: 4, runs: [run(3, 'speech-origin')] },
  ];
  const reasons = measureAudio({ ...audio(1), channels }, READING).assessment?.reasons ?? [];
  const found = reasons.find(({ code }) => code === 'CHANNELS_DIFFER');
  assert.match(
    found?.sentence ?? '',
    /most suspicious is channel-2 \(artificial/,
    'of an earlier result the mix decides',
  );
  const decided = { ...audio(1), runs: channels[1]?.runs ?? [], channels };
  const now = measureAudio(decided, READING).assessment?.reasons ?? [];
  assert.match(now.find(({ code }) => code === 'CHANNELS_DIFFER')?.sentence ?? '', /channel-2 and decides/);
});

test('the medium is named if it is probable enough, as are bounds for no photograph', () => {
  const see = (more: Partial<ModelRun>) =>
    measureImage({ ...image(1), runs: [{ ...run(1, 'image-origin'), ...more }] }, READING);
  assert.equal(see({}).medium, null);
  assert.equal(see({ media: { photograph: 0.41, drawing: 0.59 } }).medium, 'unknown');
  const drawn = see({ media: { photograph: 0.4, drawing: 0.6 }, boundsFor: 'no-photograph' });
  assert.equal(drawn.medium, 'drawing');
  const found = drawn.assessment?.reasons.find(({ code }) => code === 'NO_PHOTOGRAPH');
  assert.match(found?.sentence ?? '', /called artificial from 60 % on/);
  assert.equal(see({}).assessment?.reasons.some(({ code }) => code === 'NO_PHOTOGRAPH') ?? true, false);
});

test('bounds for codecs of speech leave every probability inconclusive and are named', () => {
  const coded = {
    boundsFor: 'speech-codec',
    cautiousThreshold: 1,
    inconclusiveLow: 0,
    inconclusiveHigh: 1,
  } as const;
  for (const logOdds of [-9, 9]) {
    const runs = [{ ...run(logOdds, 'speech-origin'), ...coded }];
    for (const heuristic of ['balanced', 'cautious'] as const) {
      const { assessment, verdict } = measureAudio({ ...audio(1), runs }, { ...READING, heuristic });
      assert.deepEqual([assessment?.state, verdict?.classification], ['inconclusive', 'human']);
      assert.ok(assessment?.reasons.some(({ code }) => code === 'SPEECH_CODEC'));
    }
  }
});

test('bounds for a narrow band are named', () => {
  const narrow = { ...run(1, 'speech-origin'), boundsFor: 'narrow-band' as const };
  const reasonsOf = (runs: ModelRun[]) =>
    measureAudio({ ...audio(1), runs, upperBandDb: -78.4 }, READING).assessment?.reasons ?? [];
  const found = reasonsOf([narrow]).find(({ code }) => code === 'NARROW_BAND');
  assert.match(found?.sentence ?? '', /above the band of a telephone \(-78 dB\)/);
  assert.equal(
    reasonsOf([run(1, 'speech-origin')]).some(({ code }) => code === 'NARROW_BAND'),
    false,
  );
});

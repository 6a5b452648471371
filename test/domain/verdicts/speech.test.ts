import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  findSpeech,
  placeWindows,
  planClips,
  secondsOf,
  uniteClips,
} from '../../../src/domain/verdicts/speech.ts';

const FRAME = 0.032;
const LAYOUT = { windowSamples: 20_480, hopSamples: 10_240, countMax: 256 };

function probabilitiesOf(runs: readonly (readonly [probability: number, frames: number])[]): number[] {
  return runs.flatMap(([probability, frames]) => Array.from({ length: frames }, () => probability));
}

test('speech begins at one threshold and goes on above another', () => {
  const probabilities = probabilitiesOf([
    [0.4, 50],
    [0.6, 20],
    [0.4, 30],
    [0.3, 50],
  ]);
  const [segment, ...rest] = findSpeech(probabilities, FRAME, 150 * FRAME);
  assert.deepEqual(rest, []);
  assert.ok(segment !== undefined);
  assert.ok(Math.abs(segment.startSeconds - (50 * FRAME - 0.03)) < 1e-9);
  assert.ok(Math.abs(segment.endSeconds - (100 * FRAME + 0.03)) < 1e-9);
});

test('a breath does not end speech, a click is none', () => {
  const breath = probabilitiesOf([
    [0.9, 20],
    [0, 2],
    [0.9, 20],
  ]);
  assert.equal(findSpeech(breath, FRAME, 42 * FRAME).length, 1);
  const click = probabilitiesOf([
    [0, 40],
    [0.9, 4],
    [0, 40],
  ]);
  assert.deepEqual(findSpeech(click, FRAME, 84 * FRAME), []);
  assert.deepEqual(findSpeech([Number.NaN, Number.NaN], FRAME, 1), []);
});

test('windows overlap inside speech and lie inside the sound', () => {
  const sound = { sampleRate: 16_000, sampleCount: 160_000 };
  const ranges = placeWindows([{ startSeconds: 1, endSeconds: 5.4 }], LAYOUT, sound);
  assert.deepEqual(
    ranges.slice(0, 3).map(({ offset }) => offset),
    [16_000, 26_240, 36_480],
  );
  assert.ok(ranges.every(({ length }) => length === LAYOUT.windowSamples));
  // The rest behind the last whole hop is worth a window of its own.
  assert.equal(ranges.at(-1)?.offset, 86_400 - LAYOUT.windowSamples);
  const past = placeWindows([{ startSeconds: 8, endSeconds: 11 }], LAYOUT, sound);
  assert.ok(past.every(({ offset, length }) => offset + length <= sound.sampleCount));
});

test('speech is heard across the pauses of a sentence, not across long ones', () => {
  const sound = { sampleRate: 16_000, sampleCount: 160_000 };
  const words = [
    { startSeconds: 0, endSeconds: 0.5 },
    { startSeconds: 0.9, endSeconds: 1.4 },
  ];
  assert.deepEqual(placeWindows(words, LAYOUT, sound), [{ offset: 0, length: 20_480 }]);
  const apart = [
    { startSeconds: 0, endSeconds: 0.7 },
    { startSeconds: 1.3, endSeconds: 2.1 },
  ];
  assert.deepEqual(placeWindows(apart, LAYOUT, sound), [
    { offset: 0, length: 11_200 },
    { offset: 20_800, length: 12_800 },
  ]);
});

test('a short stretch is taken alone; a shorter one only where there is no longer', () => {
  const sound = { sampleRate: 16_000, sampleCount: 160_000 };
  const layout = { windowSamples: 32_000, hopSamples: 24_000, countMax: 96 };
  const short = { startSeconds: 1, endSeconds: 1.7 };
  assert.deepEqual(placeWindows([short], layout, sound), [{ offset: 16_000, length: 11_200 }]);
  const long = placeWindows([short, { startSeconds: 4, endSeconds: 7 }], layout, sound);
  assert.deepEqual(
    long.map(({ offset }) => offset),
    [64_000, 80_000],
  );
  assert.deepEqual(placeWindows([{ startSeconds: 3, endSeconds: 3.5 }], layout, sound), []);
  assert.deepEqual(placeWindows([], layout, sound), []);
  // A sound shorter than a window is no less speech.
  const whole = { ...sound, sampleCount: 16_000 };
  const [range] = placeWindows([{ startSeconds: 0, endSeconds: 1 }], layout, whole);
  assert.deepEqual(range, { offset: 0, length: 16_000 });
});

test('a long sound has no more windows and clips than the bounds', () => {
  const hours = 2 * 3600;
  const speech = [{ startSeconds: 0, endSeconds: hours }];
  const clips = planClips(speech, hours);
  assert.equal(clips.length, 40);
  assert.equal(clips[0]?.startSeconds, 0);
  assert.equal(clips.at(-1)?.endSeconds, hours);
  const sound = { sampleRate: 16_000, sampleCount: hours * 16_000 };
  const ranges = placeWindows(uniteClips(clips), LAYOUT, sound);
  assert.ok(ranges.length <= LAYOUT.countMax && ranges.length > 200, String(ranges.length));
  for (const { startSeconds, endSeconds } of clips) {
    const middles = ranges.map(({ offset, length }) => (offset + length / 2) / 16_000);
    assert.ok(middles.some((middle) => middle >= startSeconds && middle <= endSeconds));
  }
});

test('clips overlap, and are only where there is speech', () => {
  const clips = planClips([{ startSeconds: 9, endSeconds: 14 }], 30);
  assert.deepEqual(
    clips.map(({ startSeconds, endSeconds }) => [startSeconds, endSeconds]),
    [
      [4, 10],
      [8, 14],
      [12, 18],
    ],
  );
  assert.ok(Math.abs(secondsOf(uniteClips(clips)) - 5) < 1e-9);
  assert.deepEqual(planClips([], 30), []);
});

test('a sound shorter than a clip is one clip', () => {
  const [clip, ...rest] = planClips([{ startSeconds: 0, endSeconds: 3 }], 3);
  assert.deepEqual([clip?.startSeconds, clip?.endSeconds, rest], [0, 3, []]);
});

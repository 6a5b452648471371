import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findSpeech, placeWindows, planClips, secondsOf, uniteClips } from '../../src/domain/speech.ts';

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
  const offsets = placeWindows([{ startSeconds: 1, endSeconds: 5.4 }], LAYOUT, sound);
  assert.deepEqual(offsets.slice(0, 3), [16_000, 26_240, 36_480]);
  // The rest behind the last whole hop is worth a window of its own.
  assert.equal(offsets.at(-1), 86_400 - LAYOUT.windowSamples);
  const short = placeWindows([{ startSeconds: 0, endSeconds: 0.8 }], LAYOUT, sound);
  assert.deepEqual(short, [0]);
  assert.deepEqual(placeWindows([{ startSeconds: 3, endSeconds: 3.5 }], LAYOUT, sound), []);
  assert.deepEqual(
    placeWindows([{ startSeconds: 0, endSeconds: 1 }], LAYOUT, { ...sound, sampleCount: 16_000 }),
    [],
  );
});

test('a long sound has no more windows and clips than the bounds', () => {
  const hours = 2 * 3600;
  const speech = [{ startSeconds: 0, endSeconds: hours }];
  const clips = planClips(speech, hours);
  assert.equal(clips.length, 40);
  assert.equal(clips[0]?.startSeconds, 0);
  assert.equal(clips.at(-1)?.endSeconds, hours);
  const sound = { sampleRate: 16_000, sampleCount: hours * 16_000 };
  const offsets = placeWindows(uniteClips(clips), LAYOUT, sound);
  assert.ok(offsets.length <= LAYOUT.countMax && offsets.length > 200, String(offsets.length));
  for (const { startSeconds, endSeconds } of clips) {
    const middles = offsets.map((offset) => (offset + LAYOUT.windowSamples / 2) / 16_000);
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

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { planSpeechWindows, samplesIn, toSoundSeconds } from '../../../src/domain/verdicts/speech-windows.ts';

const RATE = 16_000;
const segment = (startSeconds: number, endSeconds: number) => ({ startSeconds, endSeconds });
/** A detector that hears speech everywhere. */
const ALL_SPEECH = { probabilities: [], frameSamples: 512 };
const inSeconds = (segments: ReturnType<typeof segment>[], seconds: number) =>
  planSpeechWindows(segments, { sampleCount: seconds * RATE, frames: ALL_SPEECH }).map(({ ranges }) =>
    ranges.map(({ offset, length }) => [offset / RATE, (offset + length) / RATE]),
  );

const CASES = [
  { name: 'no speech', segments: [], expected: [] },
  { name: 'padded on both sides', segments: [segment(1, 3)], expected: [[[0.8, 3.2]]] },
  { name: 'not beyond the ends', segments: [segment(0.1, 9.9)], expected: [[[0, 10]]] },
  {
    name: 'a short pause belongs to it',
    segments: [segment(1, 3), segment(3.5, 5)],
    expected: [[[0.8, 5.2]]],
  },
  {
    name: 'a long pause is left out, and the window goes on behind it',
    ...{
      segments: [segment(1, 3), segment(6, 8)],
      expected: [
        [
          [0.8, 3.2],
          [5.8, 8.2],
        ],
      ],
    },
  },
  { name: 'a click is no word', segments: [segment(1, 1.3)], expected: [] },
] as const;

for (const { name, segments, expected } of CASES) {
  test(name, () => assert.deepEqual(inSeconds([...segments], 10), expected));
}

test('half a minute without a pause is cut, nothing of it is lost', () => {
  const windows = planSpeechWindows([segment(0, 70)], { sampleCount: 70 * RATE, frames: ALL_SPEECH });
  assert.equal(windows.length, 3);
  assert.equal(
    windows.reduce((sum, window) => sum + samplesIn(window), 0),
    70 * RATE,
  );
});

test('half a minute without a pause is cut where the detector hears least speech', () => {
  const probabilities = new Float32Array(Math.ceil((70 * RATE) / 512)).fill(0.95);
  const breaths = [2, 20.6, 26, 47, 60].map((second) => Math.round((second * RATE) / 512));
  for (const frame of breaths) probabilities[frame] = 0.5;
  const frames = { probabilities, frameSamples: 512 };
  const windows = planSpeechWindows([segment(0, 70)], { sampleCount: 70 * RATE, frames });
  const cuts = windows.slice(1).map(({ ranges }) => (ranges[0]?.offset ?? 0) / RATE);
  // Even pieces would end after 23.3 and 46.7 s; what is farther away than four seconds is no choice.
  assert.deepEqual(
    cuts.map((seconds) => Math.round(seconds * 10) / 10),
    [20.6, 47],
  );
});

test('windows are bounded, in order and inside the sound, whatever the detector says', () => {
  const spans = fc.array(
    fc.tuple(fc.double({ min: 0.01, max: 8, noNaN: true }), fc.double({ min: 0.25, max: 50, noNaN: true })),
  );
  fc.assert(
    fc.property(spans, fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (gaps, probabilities) => {
      let at = 0;
      const segments = gaps.map(([pause, lasts]) => {
        const startSeconds = at + pause;
        at = startSeconds + lasts;
        return segment(startSeconds, at);
      });
      const sampleCount = Math.ceil(at * RATE);
      let before = 0;
      for (const window of planSpeechWindows(segments, {
        sampleCount,
        frames: { probabilities, frameSamples: 512 },
      })) {
        assert.ok(samplesIn(window) <= 29 * RATE && samplesIn(window) > 0);
        for (const { offset, length } of window.ranges) {
          assert.ok(Number.isInteger(offset) && Number.isInteger(length));
          assert.ok(offset >= before && offset + length <= sampleCount);
          before = offset + length;
        }
      }
    }),
  );
});

test('a time of the window becomes a time of the sound', () => {
  const window = {
    ranges: [
      { offset: RATE, length: 2 * RATE },
      { offset: 10 * RATE, length: RATE },
    ],
  };
  const cases = [
    [0, 'start', 1],
    [1.5, 'end', 2.5],
    [2, 'end', 3],
    [2, 'start', 10],
    // A sentence that begins in the padding behind the one before begins after the pause, and so one that ends late.
    [1.75, 'start', 10],
    [2.25, 'end', 3],
    [1.5, 'start', 2.5],
    [2.5, 'end', 10.5],
    [2.5, 'start', 10.5],
    [9, 'end', 11],
  ] as const;
  for (const [seconds, side, expected] of cases)
    assert.equal(toSoundSeconds(window, seconds, side), expected);
});

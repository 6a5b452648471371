import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chanceOf, joinHost, rankOf, rightClips, SPLICE_RATE, splice } from '../../evaluate/splice.ts';

const tone = (seconds: number, level: number) =>
  Float32Array.from({ length: seconds * SPLICE_RATE }, (_, at) => level * Math.sin(at / 5));

test('recordings of a source are joined up to a minute, and too little is none', () => {
  assert.equal(joinHost([tone(20, 0.1), tone(20, 0.1), tone(40, 0.1)])?.length, 60 * SPLICE_RATE);
  assert.equal(joinHost([tone(12, 0.1), tone(12, 0.1)]), null);
});

test('the sentence goes where the host is quietest near the drawn place, as loud as the host', () => {
  const host = tone(40, 0.2);
  host.fill(0, 20.5 * SPLICE_RATE, 20.7 * SPLICE_RATE);
  const { samples, startSeconds, endSeconds } = splice(host, tone(4, 0.02), () => 0.5);
  assert.ok(Math.abs(startSeconds - 20.8) < 0.3, `${startSeconds}`);
  assert.ok(Math.abs(endSeconds - startSeconds - 4) < 1e-9);
  assert.equal(samples.length, host.length + 4.5 * SPLICE_RATE);
  const middle = samples.subarray((startSeconds + 1) * SPLICE_RATE, (startSeconds + 2) * SPLICE_RATE);
  assert.ok(Math.abs(Math.max(...middle) - 0.2) < 0.02);
});

test('a clip is right if it holds half of the sentence, or is half filled by it', () => {
  const clips = [0, 4, 8, 12].map((startSeconds) => ({ startSeconds, endSeconds: startSeconds + 6 }));
  const right = rightClips(clips, { startSeconds: 9, endSeconds: 13 });
  assert.deepEqual(
    right.map(({ startSeconds }) => startSeconds),
    [8],
  );
});

test('the rank is that of the first right clip, and chance is counted for it', () => {
  const clips = [0.2, 0.7, 0.9, 0.4].map((probability, index) => ({
    startSeconds: index * 4,
    endSeconds: index * 4 + 6,
    probability,
  }));
  assert.equal(rankOf(clips, clips.slice(0, 2)), 2);
  assert.equal(rankOf(clips, []), null);
  assert.ok(Math.abs(chanceOf(4, 1, 3) - 0.75) < 1e-9);
  assert.equal(chanceOf(2, 1, 3), 1);
  assert.equal(chanceOf(5, 0, 3), 0);
});

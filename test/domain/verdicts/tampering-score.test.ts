import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coverageOf, placeTiles, splitTiles } from '../../../src/domain/media/tampering-score.ts';
import { notesOnTampering } from '../../../src/domain/verdicts/assessment-notes.ts';
import type { ModelRun } from '../../../src/domain/verdicts/result.ts';

const VIEW = { type: 'tiles', size: 16, align: 8, cell: 8, countMax: 4, frameCountMax: 2 } as const;

test('a picture smaller than a tile gets one, a large one as many as allowed', () => {
  assert.deepEqual(placeTiles(9, 5, VIEW), [{ x: 0, y: 0 }]);
  assert.equal(placeTiles(1000, 1000, VIEW).length, 4);
  for (const { x, y } of placeTiles(1003, 777, VIEW)) {
    assert.ok(x % 8 === 0 && y % 8 === 0 && x + 16 <= 1003 && y + 16 <= 777);
  }
});

test('coverage counts what overlaps once, and nothing beyond the picture', () => {
  const whole = { width: 24, height: 16 };
  assert.equal(
    coverageOf(
      [
        { x: 0, y: 0 },
        { x: 8, y: 0 },
      ],
      16,
      whole,
    ),
    1,
  );
  assert.equal(coverageOf([{ x: 0, y: 0 }], 16, whole), 16 / 24);
  assert.equal(coverageOf([{ x: 0, y: 0 }], 16, { width: 10, height: 10 }), 1);
});

test('values are dealt out tile by tile', () => {
  const values = Float32Array.from({ length: 18 }, (_, index) => index);
  const { tiles, cells, trust } = splitTiles(values, VIEW);
  assert.deepEqual([...tiles], [0, 9]);
  assert.deepEqual([...cells], [1, 2, 3, 4, 10, 11, 12, 13]);
  assert.deepEqual([...trust], [5, 6, 7, 8, 14, 15, 16, 17]);
  assert.throws(() => splitTiles(values.subarray(1), VIEW), /whole number of tiles/);
});

function runAt(probability: number | null): ModelRun {
  return {
    ...{ model: 'm', version: '1.0.0', task: 'image-tampering', axis: 'edited', weight: 1, device: 'cpu' },
    ...{ unknown: probability === null, reason: probability === null ? 'Too small.' : '', elapsedSeconds: 0 },
    ...{ logit: 0, logOdds: 0, probability },
    ...{ cautiousThreshold: 0.9, inconclusiveLow: 0.4, inconclusiveHigh: 0.6 },
  };
}

for (const [probability, code] of [
  [0.1, 'NO_SIGNS_OF_EDITING'],
  [0.5, 'EDITING_INCONCLUSIVE'],
  [0.9, 'EDITING_LIKELY'],
  [null, 'EDITING_NOT_JUDGED'],
] as const) {
  test(`the note at ${probability} is ${code}`, () => {
    const notes = notesOnTampering('picture', [runAt(probability), { ...runAt(0.9), axis: 'generated' }]);
    assert.deepEqual(
      notes.map((note) => note.code),
      [code],
    );
  });
}

test('a note says what was not looked at', () => {
  const [note] = notesOnTampering('picture', [runAt(0.9)], { coverage: 0.42, hasMap: true });
  assert.match(note?.sentence ?? '', /90 %.*Only 42 % of it was looked at/);
});

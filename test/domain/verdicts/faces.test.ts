import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeViews } from '../../../src/domain/media/views.ts';
import { ANCHOR_COUNT, ANCHOR_VALUES, FACES_MAX, findFaces } from '../../../src/domain/verdicts/faces.ts';

const RULE = { size: 256, scoreMin: 0.6, sideMin: 0, overlapMax: 0.3, boxScale: 1 };
const PICTURE = { width: 512, height: 512 };
const WHOLE = [{ x: 0, y: 0, width: 512, height: 512 }];

/** Anchors that see a face, by number; all others see none. */
function answers(
  seen: Record<number, { logit: number; box: [number, number, number, number] }>,
  views = 1,
): Float32Array {
  const values = new Float32Array(views * ANCHOR_COUNT * ANCHOR_VALUES);
  for (let anchor = 0; anchor < views * ANCHOR_COUNT; anchor++) values[anchor * ANCHOR_VALUES] = -20;
  for (const [anchor, { logit, box }] of Object.entries(seen)) {
    values.set([logit, ...box], Number(anchor) * ANCHOR_VALUES);
  }
  return values;
}

test('a box is relative to its anchor, and scaled to the picture', () => {
  // The third cell of the first row of the fine grid: its centre is at 40, 8 of 256.
  const [face] = findFaces(answers({ 4: { logit: 3, box: [10, 42, 40, 60] } }), WHOLE, PICTURE, RULE);
  assert.deepEqual(face?.box, { x1: 60, y1: 40, x2: 140, y2: 160 });
  assert.ok(Math.abs((face?.score ?? 0) - 0.9526) < 1e-3);
});

test('the coarse grid follows the fine one', () => {
  // Its first cell: the centre is at 16, 16 of 256.
  const [face] = findFaces(answers({ 512: { logit: 3, box: [100, 100, 40, 40] } }), WHOLE, PICTURE, RULE);
  assert.deepEqual(face?.box, { x1: 192, y1: 192, x2: 272, y2: 272 });
});

test('of boxes on one face the surest stays, also where it lies inside a larger one', () => {
  const seen = {
    300: { logit: 2, box: [0, 0, 100, 100] as [number, number, number, number] },
    301: { logit: 3, box: [4, 4, 100, 100] as [number, number, number, number] },
    302: { logit: 1, box: [0, 0, 30, 30] as [number, number, number, number] },
  };
  assert.equal(findFaces(answers(seen), WHOLE, PICTURE, RULE).length, 1);
});

test('boxes end at the edge of the picture; one outside it is none', () => {
  const seen = {
    0: { logit: 3, box: [0, 0, 64, 64] as [number, number, number, number] },
    511: { logit: 3, box: [300, 300, 20, 20] as [number, number, number, number] },
  };
  assert.deepEqual(
    findFaces(answers(seen), WHOLE, PICTURE, RULE).map(({ box }) => box),
    [{ x1: 0, y1: 0, x2: 80, y2: 80 }],
  );
});

test('a model without finite numbers gives no face, and never more faces than the bound', () => {
  const broken = new Float32Array(ANCHOR_COUNT * ANCHOR_VALUES).fill(Number.NaN);
  assert.deepEqual(findFaces(broken, WHOLE, PICTURE, RULE), []);
  const everywhere = Object.fromEntries(
    Array.from({ length: 256 }, (_, cell) => [cell * 2, { logit: 4, box: [0, 0, 4, 4] }]),
  ) as Parameters<typeof answers>[0];
  assert.equal(findFaces(answers(everywhere), WHOLE, PICTURE, RULE).length, FACES_MAX);
});

test('a face with a side below the least is none', () => {
  const values = answers({ 100: { logit: 4, box: [0, 0, 40, 20] } });
  const [face] = findFaces(values, WHOLE, PICTURE, RULE);
  assert.ok(face);
  const shorter = Math.min(face.box.x2 - face.box.x1, face.box.y2 - face.box.y1);
  const count = (sideMin: number) => findFaces(values, WHOLE, PICTURE, { ...RULE, sideMin }).length;
  assert.deepEqual([count(shorter - 2), count(shorter + 2)], [1, 0]);
});

test('views cover the picture, and small ones are not blown up', () => {
  const layout = { size: 256, fit: 'letterbox', levels: 2 } as const;
  const views = placeViews(3000, 2000, layout);
  assert.deepEqual(views[0], { x: 0, y: 0, width: 3000, height: 3000 });
  const squares = views.slice(1);
  assert.ok(squares.every(({ x, y, width, height }) => x + width <= 3000 && y + height <= 2000));
  assert.equal(Math.max(...squares.map(({ x, width }) => x + width)), 3000);
  assert.equal(Math.max(...squares.map(({ y, height }) => y + height)), 2000);
  assert.equal(placeViews(200, 150, layout).length, 1);
  assert.equal(placeViews(20_000, 200, layout).length, 1, 'a strip is shown whole');
  assert.deepEqual(placeViews(640, 480, { ...layout, fit: 'stretch' }), [
    { x: 0, y: 0, width: 640, height: 480 },
  ]);
});

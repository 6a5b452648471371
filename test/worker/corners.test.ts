/** Corners found quickly are those that their definition names, in the order of their strength. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sharp } from 'sharp';
import { findCorners } from '../../src/worker/keypoints/corners.ts';
import type { Grey } from '../../src/worker/keypoints/grey.ts';
import { drawFrom, scene } from '../media/scene.ts';

const CIRCLE = [
  ...[0, -3, 1, -3, 2, -2, 3, -1, 3, 0, 3, 1, 2, 2, 1, 3],
  ...[0, 3, -1, 3, -2, 2, -3, 1, -3, 0, -3, -1, -2, -2, -1, -3],
];
const MARGIN = 16;

/** Nine of the sixteen around it in a row are more than 12 brighter, or darker. */
function isCorner({ width, values }: Grey, at: number): boolean {
  const differences = Array.from({ length: 16 }, (_, place) => {
    const [dx, dy] = [CIRCLE[2 * place] as number, CIRCLE[2 * place + 1] as number];
    return (values[at + dy * width + dx] as number) - (values[at] as number);
  });
  const isArc = (holds: (difference: number) => boolean): boolean =>
    differences.some((_, start) =>
      Array.from({ length: 9 }, (__, step) => differences[(start + step) % 16] as number).every(holds),
    );
  return isArc((difference) => difference > 12) || isArc((difference) => difference < -12);
}

/** Harris' measure over 7 × 7 pixels, as it is kept. */
function strengthAt({ width, values }: Grey, at: number): number {
  let [xx, yy, xy] = [0, 0, 0];
  for (let dy = -3; dy <= 3; dy++) {
    for (let dx = -3; dx <= 3; dx++) {
      const place = at + dy * width + dx;
      const gx = (values[place + 1] as number) - (values[place - 1] as number);
      const gy = (values[place + width] as number) - (values[place - width] as number);
      xx += gx * gx;
      yy += gy * gy;
      xy += gx * gy;
    }
  }
  return Math.fround(xx * yy - xy * xy - 0.04 * (xx + yy) * (xx + yy));
}

function cornersOf(grey: Grey): number[] {
  const { width, height } = grey;
  const strengths = new Map<number, number>();
  for (let y = MARGIN; y < height - MARGIN; y++) {
    for (let x = MARGIN; x < width - MARGIN; x++) {
      const at = y * width + x;
      if (isCorner(grey, at)) strengths.set(at, strengthAt(grey, at));
    }
  }
  const isPeak = (at: number): boolean =>
    [-1, 0, 1].every((dy) =>
      [-1, 0, 1].every((dx) => {
        const place = at + dy * width + dx;
        const [own, other] = [strengths.get(at) ?? 0, strengths.get(place) ?? 0];
        return own > 0 && (other < own || (other === own && place >= at));
      }),
    );
  return [...strengths.keys()]
    .filter(isPeak)
    .sort((a, b) => (strengths.get(b) ?? 0) - (strengths.get(a) ?? 0) || a - b);
}

async function greyOf(picture: Sharp): Promise<Grey> {
  const { data, info } = await picture
    .toColourspace('b-w')
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, values: data };
}

/** Drawn by a seed: noise that differs from run to run has no corner in a small picture once in some hundred runs. */
function noise(width: number, height: number, sigma: number): Grey {
  const draw = drawFrom(width);
  const normal = () => Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw());
  const values = Uint8ClampedArray.from({ length: width * height }, () => 120 + sigma * normal());
  return { width, height, values: new Uint8Array(values.buffer) };
}

/** Squares of two sizes: many corners of the same strength, and rows without any. */
function squares(width: number, height: number): Grey {
  const values = new Uint8Array(width * height).fill(40);
  for (let top = 20; top < height - 20; top += 45) {
    for (let left = 20; left < width - 20; left += 30) {
      const side = left % 20 === 0 ? 9 : 14;
      for (let y = top; y < top + side; y++) values.fill(200, y * width + left, y * width + left + side);
    }
  }
  return { width, height, values };
}

const PICTURES: Readonly<Record<string, () => Promise<Grey>>> = {
  'a scene': async () => await greyOf(scene(1).resize(181)),
  noise: async () => noise(160, 131, 40),
  'faint noise': async () => noise(131, 160, 9),
  squares: async () => squares(200, 190),
  'the smallest level': async () => noise(35, 40, 60),
};

for (const [name, make] of Object.entries(PICTURES)) {
  test(`corners of ${name}`, async () => {
    const grey = await make();
    const wanted = cornersOf(grey);
    assert.ok(wanted.length > 0, 'there are corners');
    assert.deepEqual([...findCorners(grey, MARGIN)], wanted);
  });
}

test('a plain picture has no corners', () => {
  const grey = { width: 100, height: 100, values: new Uint8Array(10_000).fill(7) };
  assert.equal(findCorners(grey, MARGIN).length, 0);
});

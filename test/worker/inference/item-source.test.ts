/** A model gets each patch as three planes of floats, normalised by its own figures. */
import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { makeGoldenPatch } from '../../../src/worker/inference/golden.ts';
import { goldenSource } from '../../../src/worker/inference/item-source.ts';

const MEAN = [0.485, 0.456, 0.406] as const;
const STD = [0.229, 0.224, 0.225] as const;
/** Sides whose pixels fill whole words, and sides that leave one over. */
const SIDES = [8, 32, 5, 17];

for (const size of SIDES) {
  test(`patches of ${size} pixels a side lie in a batch plane by plane`, () => {
    using source = goldenSource({ kind: 'patches', name: '', size, mean: [...MEAN], std: [...STD] });
    const batch = new Float32Array(3 * 3 * size ** 2);
    source.write(0, 3, batch);
    const expected = [0, 1, 2].flatMap((item) => {
      const pixels = makeGoldenPatch(item, size);
      return MEAN.flatMap((mean, channel) =>
        Array.from({ length: size ** 2 }, (_, pixel) => {
          const value = (pixels[3 * pixel + channel] ?? Number.NaN) / 255;
          return Math.fround((value - mean) / (STD[channel] ?? Number.NaN));
        }),
      );
    });
    deepEqual([...batch], expected);
  });
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { preferFaces } from '../../../src/engine/analyses/face-frames.ts';

const REGULAR = [10, 30, 50];
const sample = (timeSeconds: number, hasFace = true) => ({ timeSeconds, hasFace });

const CASES = [
  { name: 'without samples nothing changes', samples: [], expected: REGULAR },
  { name: 'a sample without a face is never taken', samples: [sample(12, false)], expected: REGULAR },
  { name: 'a face near a regular time replaces it', samples: [sample(36)], expected: [10, 36, 50] },
  {
    name: 'a regular frame that shows a face stays',
    samples: [sample(28), sample(30), sample(31)],
    expected: REGULAR,
  },
  { name: 'of two faces the nearer is taken', samples: [sample(2), sample(15)], expected: [15, 30, 50] },
  { name: 'a face belongs to one time only', samples: [sample(20)], expected: [20, 30, 50] },
  { name: 'faces everywhere', samples: [sample(3), sample(33), sample(58)], expected: [3, 33, 58] },
];

for (const { name, samples, expected } of CASES) {
  test(name, () => assert.deepEqual(preferFaces(REGULAR, samples), expected));
}

import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { type Shot, type ShotFrame, shotsOf } from '../../../src/domain/records/shots.ts';

const [SEA, FOREST] = ['00'.repeat(32), 'ff'.repeat(32)];
/** The sea again, with 4 of 256 bits changed. */
const SEA_LATER = `0f${SEA.slice(2)}`;

const rows: [
  what: string,
  frames: [hash: string | undefined, probability: number | null][],
  shots: Shot[],
][] = [
  ['no frame', [], []],
  [
    'no hash',
    [
      [undefined, 0.9],
      [undefined, 0.1],
    ],
    [],
  ],
  [
    'one shot',
    [
      [SEA, 0.2],
      [SEA_LATER, 0.7],
    ],
    [{ firstFrame: 0, lastFrame: 1, suspiciousFrame: 1 }],
  ],
  [
    'a cut and back, the first of equals',
    [
      [SEA, 0.4],
      [SEA_LATER, 0.4],
      [FOREST, 0.1],
      [SEA, 0.9],
    ],
    [
      { firstFrame: 0, lastFrame: 1, suspiciousFrame: 0 },
      { firstFrame: 2, lastFrame: 2, suspiciousFrame: 2 },
      { firstFrame: 3, lastFrame: 3, suspiciousFrame: 3 },
    ],
  ],
  [
    'a frame with too little to see goes on with the shot before it',
    [
      [undefined, null],
      [SEA, null],
      [undefined, 0.3],
      [FOREST, 0.2],
    ],
    [
      { firstFrame: 0, lastFrame: 2, suspiciousFrame: 2 },
      { firstFrame: 3, lastFrame: 3, suspiciousFrame: 3 },
    ],
  ],
];

for (const [what, frames, shots] of rows) {
  test(`shots: ${what}`, () => {
    const judged: ShotFrame[] = frames.map(([perceptualHash, probability]) => ({
      perceptualHash,
      probability,
    }));
    deepEqual(shotsOf(judged), shots);
  });
}

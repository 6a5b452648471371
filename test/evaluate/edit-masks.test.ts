import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import { compareMap, MAP_THRESHOLDS } from '../../evaluate/edit-masks.ts';
import { toLocalisation } from '../../evaluate/localisation.ts';
import type { Measurement } from '../../evaluate/measurement.ts';
import { DECODE_LIMITS } from '../../src/engine/decode/decode-limits.ts';
import { renderHeatmap } from '../../src/worker/maps/heatmap.ts';
import type { RenderHeatmapRequest } from '../../src/worker/protocol/decode-protocol.ts';
import { patternImage } from '../media/pictures.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const [TILE, CELL] = [64, 8];
const PER_SIDE = TILE / CELL;

/** A map of one tile, the left half with a probability and the right half with another, over a busy picture. */
async function drawMap([left, right]: readonly [number, number]): Promise<Buffer> {
  await using slot = await makeTemporaryFolder();
  const folder = join(slot.path, 'out');
  await mkdir(folder);
  await patternImage(TILE, TILE).png().toFile(join(folder, 'picture.png'));
  const probabilities = Array.from({ length: PER_SIDE ** 2 }, (_, cell) =>
    cell % PER_SIDE < PER_SIDE / 2 ? left : right,
  );
  const request: RenderHeatmapRequest = {
    ...{ type: 'render-heatmap', id: 1, input: 'picture.png', folder: 'out', limits: DECODE_LIMITS },
    ...{ size: TILE, cellPx: CELL, positions: [{ x: 0, y: 0 }], probabilities },
    ...{ layer: 'tampering', output: 'map.png' },
  };
  await renderHeatmap(request, slot.path);
  return await readFile(join(folder, 'map.png'));
}

async function maskOf(width: number): Promise<Buffer> {
  const white = { create: { width, height: TILE, channels: 3 as const, background: '#fff' } };
  return await sharp({ create: { width: TILE, height: TILE, channels: 3, background: '#000' } })
    .composite([{ input: white, left: 0, top: 0 }])
    .png()
    .toBuffer();
}

for (const [probability, count] of [
  [0.4, 0],
  [0.55, 1],
  [0.65, 2],
  [0.75, 3],
  [0.85, 4],
  [1, 4],
] as const) {
  test(`half a map at ${probability} is called at ${count} of the thresholds`, async () => {
    const { called, hit, edited } = await compareMap(await drawMap([probability, 0.1]), await maskOf(32));
    assert.equal(edited, 0.5);
    assert.equal(called.length, MAP_THRESHOLDS.length);
    for (const [index, share] of called.entries()) {
      const expected = index < count ? 0.5 : 0;
      // The map blends the two halves where they meet.
      assert.ok(Math.abs(share - expected) <= 0.07, `${MAP_THRESHOLDS[index]}: ${share}`);
      assert.ok((hit[index] ?? 0) <= share);
    }
  });
}

test('F1, precision and recall of a map that covers half of the edit and nothing else', async () => {
  const localisation = await compareMap(await drawMap([0.95, 0.05]), await maskOf(TILE));
  const bare: Measurement = {
    ...{ path: 'a', tier: 'clean', label: 'artificial', source: 's', kind: '', probability: 0.9 },
    ...{ state: 'artificial', called: null, models: {}, fold: null, held: false },
    ...{ shortSide: 512, framesPerSecond: null, rulesVersion: 2, hasTrack: false },
  };
  const base = { ...bare, localisation };
  const human: Measurement = {
    ...base,
    path: 'b',
    label: 'human',
    localisation: { ...localisation, edited: 0 },
  };
  const [even] = toLocalisation([base, human]);
  assert.equal(even?.precision.value, 1);
  assert.ok(Math.abs((even?.recall.value ?? 0) - 0.5) < 0.07, String(even?.recall.value));
  assert.ok(Math.abs((even?.f1.value ?? 0) - 2 / 3) < 0.07, String(even?.f1.value));
  assert.equal(even?.falselyCalled.value, localisation.called[0]);
  assert.deepEqual(toLocalisation([bare]), []);
});

/** What stills in tests show, and that a decode child sees it upright and in the right colours. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import sharp, { type Sharp } from 'sharp';
import { NO_TRUST } from '../../src/domain/provenance/trust-list.ts';
import type { DecodeSlot } from '../../src/engine/decode/decode-slot.ts';
import { LIMITS } from './decode-fixture.ts';
import { CORNERS, paintFrame } from './numbered-frame.ts';

export const WIDTH = 240;
export const HEIGHT = 160;
export const SIDES = { width: WIDTH, height: HEIGHT };
export const RGB: Buffer = Buffer.alloc(WIDTH * HEIGHT * 3);
paintFrame(0, WIDTH, HEIGHT, RGB);

export const upright = (): Sharp => sharp(RGB, { raw: { ...SIDES, channels: 3 } });

/** One patch in the middle. */
export const WHOLE = {
  name: 'whole',
  variant: 'original',
  layout: { size: 160, align: 8, countMax: 1 },
} as const;

export async function checkShown(
  slot: DecodeSlot,
  input: string,
  { mime, pages }: { mime: string; pages: number },
): Promise<void> {
  const { probe } = await slot.request({ type: 'probe', input, limits: LIMITS });
  assert.deepEqual(probe, {
    kind: 'image',
    mime,
    width: WIDTH,
    height: HEIGHT,
    pages,
    durationSeconds: null,
    hasSound: false,
  });
  const patchSets = [WHOLE];
  const request = { type: 'decode-image', input, limits: LIMITS, trust: NO_TRUST, patchSets } as const;
  const { image } = await slot.request(request);
  assert.deepEqual(
    [image.mime, image.width, image.height, image.provenance.fault],
    [mime, WIDTH, HEIGHT, null],
  );
  const [set] = image.patchSets;
  assert.ok(set !== undefined);
  const patch = await readFile(slot.outPath(set.file));
  const left = set.positions[0]?.x ?? 0;
  for (const [corner, [x, y]] of [
    [60, 20],
    [180, 20],
    [60, 120],
    [180, 120],
  ].entries()) {
    const at = ((y ?? 0) * 160 + (x ?? 0) - left) * 3;
    const error = [0, 1, 2].map((channel) =>
      Math.abs((patch[at + channel] ?? 0) - (CORNERS[corner]?.[channel] ?? 0)),
    );
    assert.ok(Math.max(...error) <= 12, `corner ${corner}: ${[...patch.subarray(at, at + 3)]}`);
  }
  const map = {
    type: 'render-heatmap',
    layer: 'origin',
    input,
    folder: 'in',
    limits: LIMITS,
    size: 160,
    output: 'map.png',
  } as const;
  const { heatmap } = await slot.request({ ...map, positions: [{ x: 40, y: 0 }], probabilities: [0.5] });
  assert.equal(heatmap.width, WIDTH);
}

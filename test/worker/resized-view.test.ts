/** Scaled views must be those of the code that the models were trained with. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { poolViews, type ResizedView, refuseTexture } from '../../src/domain/media/resized-view.ts';
import type { Picture } from '../../src/worker/media/picture.ts';
import { writeResizedView } from '../../src/worker/steps/resized-view.ts';
import { patternRgb } from '../media/pictures.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const LAYOUT = { size: 384, shortSide: 440, withNative: true };
const VIEW_BYTES = 384 * 384 * 3;

/** SHA-256 of Pillow 11's `resize(…, BILINEAR)` to a shorter side of 440, middle 384 × 384, of the test pattern. */
const PILLOW: readonly [width: number, height: number, sha256: string][] = [
  [1000, 700, 'ec18d54898dc132f10d433294a1f0efb31a280e2b5d508d90151ebdb26bdd528'],
  [333, 500, 'c14ff9a3c915f29a3d6ca0858a5a26eb4112e155624a37a0d396a3ac250e36e5'],
  [1601, 440, '425e485a2806464a01be939331becd45cb3cc3588b0ed47415713be50bee0c46'],
  [97, 203, 'a8ea889681927ce3084df6fb63e896d7e5f9009b4883ebcd98e6261745ada039'],
  [440, 440, 'b3d12a21f7158973bd3b252c3fe75114ed1c351e119178cb0e21e8d7ed895cc2'],
];

function pattern(width: number, height: number): Picture {
  return { width, height, rgb: patternRgb(width, height) };
}

for (const [width, height, sha256] of PILLOW) {
  test(`${width} × ${height} is scaled as Pillow does it, to the bit`, async () => {
    await using folder = await makeTemporaryFolder();
    const set = await writeResizedView(pattern(width, height), { name: 'view', layout: LAYOUT }, folder.path);
    const bytes = await readFile(join(folder.path, set.file));
    assert.equal(createHash('sha256').update(bytes.subarray(0, VIEW_BYTES)).digest('hex'), sha256);
    assert.equal(set.positions.length, Math.min(width, height) >= 384 ? 2 : 1);
    assert.equal(bytes.length, set.positions.length * VIEW_BYTES);
  });
}

test('the second view is the middle as it is', async () => {
  await using folder = await makeTemporaryFolder();
  const picture = pattern(401, 390);
  const set = await writeResizedView(picture, { name: 'view', layout: LAYOUT }, folder.path);
  const bytes = await readFile(join(folder.path, set.file));
  const { x = 0, y = 0 } = set.positions[1] ?? {};
  // 8.5 goes to the even number, as in Python.
  assert.deepEqual({ x, y }, { x: 8, y: 3 });
  const start = (y * picture.width + x) * 3;
  assert.deepEqual(
    bytes.subarray(VIEW_BYTES, VIEW_BYTES + 384 * 3),
    picture.rgb.subarray(start, start + 384 * 3),
  );
});

const RULE = { lumaVarianceMin: 4, neighbourCorrelationMin: 0.15 };

async function refusalOf(rgb: Buffer): Promise<string | null> {
  await using folder = await makeTemporaryFolder();
  const picture = { width: 400, height: 400, rgb };
  const { texture } = await writeResizedView(picture, { name: 'view', layout: LAYOUT }, folder.path);
  assert.ok(texture !== undefined);
  return refuseTexture(RULE, texture);
}

test('flat pictures and noise are refused, others are not', async () => {
  const bytes = 400 * 400 * 3;
  assert.equal(await refusalOf(Buffer.alloc(bytes, 90)), 'flat');
  let state = 1;
  const noise = Buffer.from(
    Uint8Array.from({ length: bytes }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return state >>> 24;
    }),
  );
  assert.equal(await refusalOf(noise), 'noise');
  assert.equal(await refusalOf(patternRgb(400, 400)), null);
});

test('the middle counts only within the band', () => {
  const native = { low: 0.25, high: 0.85, bias: 0.43 };
  const view: ResizedView = {
    type: 'resized',
    size: 384,
    shortSide: 440,
    kernel: 'bilinear-antialiased',
    native,
  };
  assert.equal(poolViews(view, [0, 2]), 1);
  assert.equal(poolViews(view, [3, -3]), 3);
  assert.equal(poolViews(view, [-3, 3]), -3);
  assert.equal(poolViews(view, [0]), 0);
  // The bias decides: without it 1.5 would be inside.
  assert.equal(poolViews(view, [1.5, -1]), 1.5);
});

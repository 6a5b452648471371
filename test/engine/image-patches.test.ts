/** Which patches are asked for of a picture. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ImagePack, isImagePack } from '../../src/domain/model-pack.ts';
import { planPatchSets } from '../../src/engine/image-patches.ts';
import { readShippedPack } from '../conversion-orders.ts';

function readPack(id: string, mapCountMax: number): ImagePack {
  const pack = readShippedPack(id);
  assert.ok(isImagePack(pack) && pack.view.type === 'patches');
  return { ...pack, view: { ...pack.view, mapCountMax } };
}

test('the pack that looks at most places draws the map, and no other', () => {
  const packs = [readPack('assay-statistics', 64), readPack('assay-residual', 256)];
  const plan = planPatchSets(packs, { withMap: true, withStability: false });
  const maps = plan.filter(({ purpose }) => purpose === 'map');
  assert.deepEqual(
    maps.map(({ pack, request }) => [pack.id, request.layout.countMax]),
    [['assay-residual', 256]],
  );
  assert.equal(plan.filter(({ purpose }) => purpose === 'origin').length, 2);
});

test('no map is asked for where none is wanted', () => {
  const plan = planPatchSets([readPack('assay-residual', 256)], { withMap: false, withStability: false });
  assert.deepEqual(
    plan.map(({ purpose }) => purpose),
    ['origin'],
  );
});

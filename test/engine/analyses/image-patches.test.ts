import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ImagePack, isImagePack } from '../../../src/domain/packs/model-pack.ts';
import { planPatchSets, requestsOf } from '../../../src/engine/analyses/image-patches.ts';
import { readShippedPack } from '../../models/shipped-packs.ts';

function readPack(id: string, view: { mapCountMax: number; countMax?: number }): ImagePack {
  const pack = readShippedPack('assay-transformer');
  assert.ok(isImagePack(pack) && pack.view.type === 'patches');
  return { ...pack, id, view: { ...pack.view, ...view } };
}

test('the pack that looks at most places draws the map, and no other', () => {
  const packs = [readPack('few', { mapCountMax: 64 }), readPack('many', { mapCountMax: 256 })];
  const plan = planPatchSets(packs, { withMap: true, withStability: false });
  const maps = plan.filter(({ purpose }) => purpose === 'map');
  assert.deepEqual(
    maps.map(({ pack, request }) => [pack.id, request.layout.countMax]),
    [['many', 256]],
  );
  assert.equal(plan.filter(({ purpose }) => purpose === 'origin').length, 2);
});

test('no map is requested if none is wanted', () => {
  const plan = planPatchSets([readPack('one', { mapCountMax: 256 })], {
    withMap: false,
    withStability: false,
  });
  assert.deepEqual(
    plan.map(({ purpose }) => purpose),
    ['origin'],
  );
});

test('packs that look at the same places share their patches; others have their own', () => {
  const packs = [
    readPack('first', { mapCountMax: 64 }),
    readPack('second', { mapCountMax: 64 }),
    readPack('third', { mapCountMax: 64, countMax: 4 }),
  ];
  const plan = planPatchSets(packs, { withMap: false, withStability: true });
  assert.equal(plan.length, 9);
  assert.equal(requestsOf(plan).length, 6);
  const origins = plan.filter(({ purpose }) => purpose === 'origin');
  assert.equal(origins[0]?.request, origins[1]?.request);
  assert.notEqual(origins[0]?.request, origins[2]?.request);
});

test('where candidates lie and what is left out come from the pack, for the verdict and its copies', () => {
  const pack = readPack('one', { mapCountMax: 64 });
  assert.ok(pack.view.type === 'patches');
  const stepped = { ...pack, view: { ...pack.view, candidateStep: 64, detailShareMin: 0.25 } };
  const plan = planPatchSets([stepped], { withMap: true, withStability: true });
  assert.deepEqual(
    plan.map(({ purpose, request }) => [
      purpose,
      request.layout.candidateStep,
      request.layout.detailShareMin,
    ]),
    [
      ['origin', 64, 0.25],
      ['map', undefined, undefined],
      ['jpeg-60', 64, 0.25],
      ['scale-75', 64, 0.25],
    ],
  );
});

test('a frame is looked at in at most sixteen places, a picture in as many as the pack says', () => {
  const countsOf = (countMax: number, ofFrames: boolean) =>
    planPatchSets([readPack('one', { mapCountMax: 64, countMax })], {
      withMap: true,
      withStability: false,
      ofFrames,
    }).map(({ request }) => request.layout.countMax);
  assert.deepEqual(countsOf(24, true), [16, 64]);
  assert.deepEqual(countsOf(24, false), [24, 64]);
  assert.deepEqual(countsOf(8, true), [8, 64]);
});

test('a verdict looks where there is most to see, a map everywhere alike', () => {
  const plan = planPatchSets([readPack('one', { mapCountMax: 64 })], { withMap: true, withStability: true });
  const candidates = plan.map(({ purpose, request }) => [purpose, request.layout.candidateCountMax]);
  assert.deepEqual(candidates, [
    ['origin', 196],
    ['map', undefined],
    ['jpeg-60', 196],
    ['scale-75', 196],
  ]);
});

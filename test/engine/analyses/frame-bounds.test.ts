import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ImagePack } from '../../../src/domain/packs/model-pack.ts';
import {
  boundedForFrames,
  framePacksOf,
  imagePacksOf,
  splitMedia,
} from '../../../src/engine/analyses/image-runs.ts';
import { findPacks } from '../../../src/engine/packs/installed-packs.ts';

const PICTURE = { cautiousThreshold: 0.9, inconclusiveLow: 0.2, inconclusiveHigh: 0.7, weight: 2 };
const FRAMES = { cautiousThreshold: 0.95, inconclusiveLow: 0.1, inconclusiveHigh: 0.8 };

test('a pack that bounds frames apart judges them so, with all else as it was', () => {
  const pack = { id: 'a', decision: { ...PICTURE, frames: FRAMES } } as ImagePack;
  assert.deepEqual(boundedForFrames(pack), { id: 'a', decision: { ...FRAMES, weight: 2 } });
});

test('a pack without bounds for frames is the same pack', () => {
  const pack = { id: 'a', decision: PICTURE } as ImagePack;
  assert.equal(boundedForFrames(pack), pack);
});

test('a pack whose output ends in a logit for frames judges frames by it and by its line', () => {
  const line = { slope: 2, intercept: 1 };
  const frames = { ...FRAMES, line };
  const pack = {
    id: 'a',
    media: ['photograph', 'drawing'],
    calibration: { slope: 1, intercept: 0 },
    decision: { ...PICTURE, frames },
  } as ImagePack;
  const bounded = boundedForFrames(pack);
  assert.deepEqual([bounded.decision, bounded.calibration], [{ ...FRAMES, weight: 2 }, line]);
  const values = Float32Array.of(1, 10, 20, 3, 2, 30, 40, 4);
  assert.deepEqual([...splitMedia(pack, values).logits], [1, 2]);
  assert.deepEqual([...splitMedia(bounded, values).logits], [3, 4]);
  assert.deepEqual(splitMedia(bounded, values).media, splitMedia(pack, values).media);
});

test('the shipped pack is not less careful with frames than with pictures', async () => {
  const { installed } = await findPacks([join(import.meta.dirname, '../../../models')]);
  const found = installed.find(({ pack }) => pack.id === 'assay-transformer');
  assert.ok(found !== undefined);
  const [picture] = imagePacksOf(['any'], () => found);
  const [frame] = framePacksOf(['any'], () => found);
  const [own, ofFrames] = [picture?.found?.pack.decision, frame?.found?.pack.decision];
  assert.ok(own !== undefined && ofFrames !== undefined);
  assert.ok(
    ofFrames.cautiousThreshold >= own.cautiousThreshold && ofFrames.inconclusiveHigh > own.inconclusiveHigh,
  );
});

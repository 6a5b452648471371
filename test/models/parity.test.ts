/**
 * The shipped image model in the appliance answers as the training code does (speech: parity-speech.test.ts). `parity.json` beside a model holds what training
 * says of media made by rule (test/media/parity-media.ts), which it reads with decoders of its own: the places that are looked
 * at, their bytes and logits here, what a daemon makes of them in parity-daemon.test.ts.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type ImagePack, isImagePack } from '../../src/domain/packs/model-pack.ts';
import { NO_TRUST } from '../../src/domain/provenance/trust-list.ts';
import { planPatchSets, requestsOf } from '../../src/engine/analyses/image-patches.ts';
import { boundedForFrames, splitMedia } from '../../src/engine/analyses/image-runs.ts';
import type { InferenceProcess } from '../../src/engine/inference/inference-process.ts';
import { findPacks } from '../../src/engine/packs/installed-packs.ts';
import type { PatchSetRequest } from '../../src/worker/protocol/decode-protocol.ts';
import type { PatchSet } from '../../src/worker/protocol/decoded-media.ts';
import { decodeVideo, LIMITS, openSlot } from '../media/decode-fixture.ts';
import { type ParityFile, parityFile, readParity, type ViewParity } from '../media/parity-media.ts';
import { PATIENT } from '../patience.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { assertNear, findPack, startModels } from './parity-packs.ts';

const MODELS = join(import.meta.dirname, '../../models');
const PICTURE_PACK = 'assay-transformer';
const data = await makeTemporaryFolder();
after(async () => await data[Symbol.asyncDispose]());
const { installed } = await findPacks([MODELS]);
const slot = await openSlot(data.path);
after(async () => await slot[Symbol.asyncDispose]());

/** The patches of a picture, or of each frame of a video. */
async function cutPatches({ kind, make }: ParityFile, patchSets: PatchSetRequest[]): Promise<PatchSet[]> {
  const path = join(data.path, 'upload');
  await writeFile(path, await make());
  const input = await slot.placeInput(path);
  const request = { input, limits: LIMITS, trust: NO_TRUST, patchSets };
  if (kind === 'image') {
    const { image } = await slot.request({ type: 'decode-image', ...request }, {});
    return image.patchSets;
  }
  const frames = { method: 'even', countMax: 10 } as const;
  const { frames: found } = await decodeVideo(slot, {
    ...{ type: 'decode-video', ...request, frames, decoder: 'cpu' },
    ...{ withTrack: false, soundSecondsMax: 1 },
  });
  return found.flatMap(({ patchSets: own }) => own);
}

async function compareView(
  model: InferenceProcess,
  pack: ImagePack,
  set: PatchSet,
  { width, height, positions, patchesSha256, logits }: ViewParity,
): Promise<void> {
  assert.deepEqual([set.width, set.height], [width, height]);
  assert.deepEqual(
    set.positions.map(({ x, y }) => [x, y]),
    positions,
  );
  const path = slot.outPath(set.file);
  const found = createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
  assert.equal(found, patchesSha256, 'the patches hold other pixels than in training');
  const work = { pack: `${pack.id}@${pack.version}`, path, count: positions.length };
  const { logits: values } = await model.infer(work, PATIENT);
  assertNear(splitMedia(pack, values).logits, pack, logits);
}

test('the image model looks at the same places of every file as in training, and says the same', async (t) => {
  const found = findPack(installed, PICTURE_PACK);
  assert.ok(isImagePack(found.pack));
  const { media = [] } = await readParity(PICTURE_PACK);
  assert.ok(media.length > 0);
  const { pack } = found;
  const requestsFor = (ofFrames: boolean) =>
    requestsOf(planPatchSets([pack], { withMap: false, withStability: false, ofFrames }));
  await using started = await startModels([found]);
  for (const { file, views } of media) {
    await t.test(file, async () => {
      const parity = parityFile(file);
      const ofFrames = parity.kind === 'video';
      const judging = ofFrames ? boundedForFrames(pack) : pack;
      const sets = await cutPatches(parity, requestsFor(ofFrames));
      assert.equal(sets.length, views.length);
      for (const [index, view] of views.entries()) {
        await compareView(started.model, judging, sets[index] ?? assert.fail('a view is missing'), view);
      }
    });
  }
});

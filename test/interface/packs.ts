/** Image packs around a hand-made model: a bright picture is artificial, a dark one human. */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeGoldenPatch } from '../../src/worker/inference/golden.ts';
import { meanOf, tinyModelBytes } from '../models/tiny-model.ts';
import { writeTinySpeechPack } from '../models/tiny-speech-pack.ts';

export interface TinyImagePack {
  id: string;
  minimumShortSide: number;
  /** Costly steps that undo each other in pairs, on larger patches: a model that takes its time. */
  slowRounds?: number;
  /** Log-odds beyond which copies are not judged; without it they always are. */
  reach?: number;
}

/** The second one asks for more pixels, so that a picture may do for one model and not for the other. */
export const FINE_MODEL: TinyImagePack = { id: 'tiny-fine', minimumShortSide: 200 };
export const COARSE_MODEL: TinyImagePack = { id: 'tiny-coarse', minimumShortSide: 100 };
const PATCH_SIDE = 32;
const SLOW_PATCH_SIDE = 256;
const GOLDEN_COUNT = 3;

/** A pack of each task that this version runs, in a folder of packs. */
export async function writeTinyPacks(modelFolder: string): Promise<void> {
  await mkdir(modelFolder, { recursive: true });
  await writeTinySpeechPack(modelFolder);
  for (const pack of [FINE_MODEL, COARSE_MODEL]) await writeTinyImagePack(modelFolder, pack);
}

export async function writeTinyImagePack(modelFolder: string, pack: TinyImagePack): Promise<void> {
  const folder = join(modelFolder, pack.id);
  const model = tinyModelBytes(sideOf(pack), { rounds: pack.slowRounds ?? 0 });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'model.onnx'), model);
  await writeFile(join(folder, 'model.json'), JSON.stringify(describe(pack, model), null, 2));
  await writeFile(join(folder, 'CARD.md'), '# Tiny picture model\n\nFor tests.\n');
}

function sideOf({ slowRounds }: TinyImagePack): number {
  return slowRounds === undefined ? PATCH_SIDE : SLOW_PATCH_SIDE;
}

function describe(pack: TinyImagePack, model: Uint8Array): object {
  const { id, minimumShortSide, reach } = pack;
  const farthest = { human: reach, artificial: reach };
  const side = sideOf(pack);
  const expected = Array.from({ length: GOLDEN_COUNT }, (_, index) => meanOf(makeGoldenPatch(index, side)));
  return {
    ...{ schema: 1, id, version: '1.0.0', name: id, task: 'image-origin' },
    ...{ mediaKind: 'image', axis: 'generated', file: 'model.onnx' },
    sha256: createHash('sha256').update(model).digest('hex'),
    input: { name: 'pixels', layout: 'nchw', colour: 'rgb', mean: [0, 0, 0], std: [1, 1, 1] },
    view: { type: 'patches', size: side, align: 8, countMax: 4, mapCountMax: 16 },
    output: { name: 'logit', type: 'logit', positive: 'artificial', aggregation: 'mean' },
    // The logit is the mean brightness, 0..1: half of it is the border.
    calibration: { type: 'platt', slope: 20, intercept: -10, set: 'none' },
    decision: { cautiousThreshold: 0.9, inconclusiveLow: 0.4, inconclusiveHigh: 0.6, weight: 1 },
    ...(reach === undefined
      ? {}
      : {
          stability: {
            ...{ measuredBy: 'nobody', pictures: 1, flips: 0 },
            logOdds: { 'jpeg-60': farthest, 'scale-75': farthest },
          },
        }),
    minimumShortSide,
    ...{ licence: 'Apache-2.0', source: 'made for tests', trainedOn: 'nothing', figures: [] },
    golden: { seed: 1, tolerance: 0.001, expected },
  };
}

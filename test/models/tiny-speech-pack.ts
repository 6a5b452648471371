/** A speech pack as a folder, around a hand-made model: loud speech is artificial, quiet speech is human. */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeGoldenSound } from '../../src/worker/inference/golden.ts';
import { tinySoundModelBytes } from './tiny-model.ts';

export const TINY_SPEECH_ID = 'tiny-speech';
const WINDOW_SAMPLES = 20_480;
/** A voice of 0.02 has a mean square near zero, one of 0.5 far above: the sign changes between. */
const GAIN = 1000;
const OFFSET = -2;
const GOLDEN_COUNT = 4;

export function meanSquare(samples: Float32Array): number {
  return samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
}

/** What the model must answer for a window. */
export function tinySpeechLogit(samples: Float32Array): number {
  return GAIN * meanSquare(samples) + OFFSET;
}

/** Writes `tiny-speech/` into a folder of packs. */
export async function writeTinySpeechPack(modelFolder: string): Promise<void> {
  const folder = join(modelFolder, TINY_SPEECH_ID);
  const model = tinySoundModelBytes(WINDOW_SAMPLES, { gain: GAIN, offset: OFFSET });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'model.onnx'), model);
  await writeFile(join(folder, 'model.json'), JSON.stringify(describe(model), null, 2));
  await writeFile(join(folder, 'CARD.md'), '# Tiny speech\n\nFor tests.\n');
}

function describe(model: Uint8Array): object {
  const windows = Array.from({ length: GOLDEN_COUNT }, (_, index) => makeGoldenSound(index, WINDOW_SAMPLES));
  return {
    ...{ schema: 1, id: TINY_SPEECH_ID, version: '1.0.0', name: 'Tiny speech', task: 'speech-origin' },
    ...{ mediaKind: 'audio', axis: 'generated', file: 'model.onnx' },
    sha256: createHash('sha256').update(model).digest('hex'),
    input: { name: 'sound', layout: 'samples', sampleRate: 16_000 },
    view: { type: 'windows', windowSamples: WINDOW_SAMPLES, hopSamples: WINDOW_SAMPLES / 2, countMax: 256 },
    output: { name: 'logit', type: 'logit', positive: 'artificial', aggregation: 'mean' },
    calibration: { type: 'platt', slope: 1, intercept: 0, set: 'none' },
    decision: { cautiousThreshold: 0.9, inconclusiveLow: 0.4, inconclusiveHigh: 0.6, weight: 1 },
    minimumSpeechSeconds: 2,
    ...{ licence: 'Apache-2.0', source: 'made for tests', trainedOn: 'nothing', figures: [] },
    golden: { seed: 1, tolerance: 0.001, expected: windows.map(tinySpeechLogit) },
  };
}

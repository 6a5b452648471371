/** Runs a pack on made-up items, to measure the device. */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  isDetectorPack,
  isTranscriptionPack,
  type ModelPack,
  packKey,
  SOUND_SAMPLE_RATE,
} from '../../domain/packs/model-pack.ts';
import type { InferencePool } from '../inference/inference-pool.ts';
import type { InferenceOptions } from '../inference/inference-process.ts';
import { type InstalledPack, toLoadedPack } from './installed-packs.ts';

export interface PackSpeed {
  items: number;
  itemsPerSecond: number;
  singleMs: number;
}

/** Four full batches: past the first one, and not too many for a slow model. */
const ITEMS = 32;
const DETECTOR_SECONDS = 60;
const TRANSCRIBED_SECONDS = 30;
const TIMEOUT_MS = 300_000;
const BYTES_PER_FLOAT = 4;

/** `folder` takes one file of a few megabytes. */
export async function benchPack(
  pool: Pick<InferencePool, 'infer' | 'detectSpeech' | 'transcribe'>,
  installed: InstalledPack,
  folder: string,
  signal: AbortSignal,
): Promise<PackSpeed> {
  const path = join(folder, 'bench');
  const options = { signal, timeoutMs: TIMEOUT_MS };
  const key = packKey(installed.pack);
  if (isDetectorPack(installed.pack)) {
    const sampleCount = DETECTOR_SECONDS * SOUND_SAMPLE_RATE;
    await writeFile(path, Buffer.alloc(sampleCount * BYTES_PER_FLOAT));
    const { elapsedMs } = await pool.detectSpeech({ pack: key, path, sampleCount }, options);
    const frames = sampleCount / installed.pack.view.frameSamples;
    return { items: frames, itemsPerSecond: (frames * 1000) / elapsedMs, singleMs: elapsedMs / frames };
  }
  if (isTranscriptionPack(installed.pack)) return await benchTranscription(pool, key, path, options);
  const run = async (count: number) => {
    await writeFile(path, itemsOf(installed.pack, installed.modelPath, count));
    const windows = windowsOf(installed.pack, count);
    return (await pool.infer({ pack: key, path, count, windows }, options)).elapsedMs;
  };
  const singleMs = await run(1);
  const elapsedMs = await run(ITEMS);
  return { items: ITEMS, itemsPerSecond: (ITEMS * 1000) / elapsedMs, singleMs };
}

/** Half a minute of silence, which runs the encoder and the first tokens; speech takes as long again for its words. */
async function benchTranscription(
  pool: Pick<InferencePool, 'transcribe'>,
  pack: string,
  path: string,
  options: InferenceOptions,
): Promise<PackSpeed> {
  const length = TRANSCRIBED_SECONDS * SOUND_SAMPLE_RATE;
  await writeFile(path, Buffer.alloc(length * BYTES_PER_FLOAT));
  const window = { pack, path, sampleCount: length, ranges: [{ offset: 0, length }], language: null };
  // The first run brings the model up.
  await pool.transcribe(window, options);
  const { elapsedMs } = await pool.transcribe(window, options);
  return { items: 1, itemsPerSecond: 1000 / elapsedMs, singleMs: elapsedMs };
}

/** Noise, since some models skip work on flat items. */
function itemsOf(pack: ModelPack, modelPath: string, count: number): Buffer {
  const { input } = toLoadedPack({ pack, modelPath });
  if (input.kind === 'patches') return randomBytes(input.size ** 2 * 3 * count);
  const samples = input.kind === 'windows' ? input.windowSamples * count : 0;
  const floats = Float32Array.from({ length: samples }, () => Math.random() - 0.5);
  return Buffer.from(floats.buffer);
}

function windowsOf(pack: ModelPack, count: number) {
  if (pack.view.type !== 'windows') return undefined;
  const { windowSamples } = pack.view;
  const ranges = Array.from({ length: count }, (_, index) => ({
    offset: index * windowSamples,
    length: windowSamples,
  }));
  return { sampleCount: windowSamples * count, ranges };
}

/** A whole file as each tier leaves it, by the evaluation's own code, and where the appliance would hear speech in it. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeMono, limitBand } from '../../../evaluate/sound-tiers.ts';
import { CLEAN, makeSoundCopy } from '../../../evaluate/tiers.ts';
import {
  findSpeech,
  placeWindows,
  planClips,
  type SampleRange,
  secondsOf,
  uniteClips,
} from '../../../src/domain/verdicts/speech.ts';
import { FRAME_SAMPLES, type openDetector } from './voice-detector.ts';

export const RATE = 16_000;
/** What record-windows.ts makes if it is not told otherwise. */
export const TIERS: readonly string[] = ['clean', 'mp3-64', 'telephone'];
/** The tier in which both labels are limited to one band, to see whether the models lean on it. */
const ONE_BAND = 'one-band';
const BAND = { low: 60, high: 7_000 };
const WINDOWS_MAX = 256;

/** The first seconds of a file in a tier. `scratch` begins the names of copies, which do not stay. */
export function readTier(
  { folder, file }: { folder: string; file: string },
  tier: string,
  { secondsMax, scratch }: { secondsMax: number; scratch: string },
): Float32Array {
  const path = join(folder, file);
  if (tier !== CLEAN && tier !== ONE_BAND) {
    const copy = `${scratch}-${process.pid}.${tier === 'mp3-64' ? 'mp3' : 'wav'}`;
    writeFileSync(copy, makeSoundCopy(tier, path, secondsMax));
    try {
      return decodeMono(copy, RATE, secondsMax);
    } finally {
      rmSync(copy);
    }
  }
  const samples = decodeMono(path, RATE, secondsMax);
  return tier === ONE_BAND ? limitBand(samples, RATE, BAND) : samples;
}

export interface Heard {
  speechSeconds: number;
  /** The windows of a layout, in samples, at most `count` of them, spread evenly. */
  place(layout: { windowSamples: number; hopSamples: number }, count: number): SampleRange[];
}

export async function hearSpeech(
  samples: Float32Array,
  detect: Awaited<ReturnType<typeof openDetector>>,
): Promise<Heard> {
  const seconds = samples.length / RATE;
  const segments = findSpeech(await detect(samples), FRAME_SAMPLES / RATE, seconds);
  const judged = uniteClips(planClips(segments, seconds));
  return {
    speechSeconds: secondsOf(segments),
    place: (layout, count) => {
      const sound = { sampleRate: RATE, sampleCount: samples.length };
      return spread(placeWindows(judged, { ...layout, countMax: WINDOWS_MAX }, sound), count);
    },
  };
}

function spread<Item>(items: readonly Item[], count: number): Item[] {
  if (items.length <= count) return [...items];
  return Array.from(
    { length: count },
    (_, at) => items[Math.floor(((at + 0.5) * items.length) / count)] as Item,
  );
}

/** A stretch shorter than a window is repeated until it fills it. */
export function fill(
  samples: Float32Array,
  { offset, length }: SampleRange,
  count: number,
): Float32Array<ArrayBuffer> {
  const window = new Float32Array(count);
  for (let at = 0; at < count; at++) window[at] = samples[offset + (at % length)] ?? 0;
  return window;
}

/** A sound's loudest samples and its spectrum over time. Both are halved at twice the shown length: memory stays flat. */
import { join } from 'node:path';
import sharp from 'sharp';
import { SOUND_SECONDS_MAX } from '../../domain/limits.ts';
import {
  PEAKS_MAX,
  type RenditionFigures,
  SPECTRUM_HEIGHT,
  SPECTRUM_WIDTH,
} from '../../domain/media/rendition.ts';
import { PlayedFile } from '../libav/played-file.ts';
import { monoFloats, Resampler } from '../libav/resampler.ts';
import { PlayedSound } from '../libav/timed-sound.ts';
import { MediaFaultFound } from '../media/media-fault.ts';
import { secondsReporter } from '../media/progress.ts';
import { readMediaType, refuseKind } from '../pictures/media-header.ts';
import type { RenderWork } from './rendition-work.ts';
import { powersOf, WINDOW_SAMPLES } from './sound-spectrum.ts';

const FILE = 'spectrum.webp';
/** The rate of the speech models: tones above 8 kHz are not shown. */
const RATE = 16_000;
/** Quieter tones are blank. */
const FLOOR_DB = -90;
const ALPHA_QUALITY = 70;

export async function renderPeaks({ path, outFolder, report }: RenderWork): Promise<RenditionFigures> {
  const type = await readMediaType(path);
  if (type.kind === 'image') throw refuseKind('audio', `a ${type.name} picture`);
  using file = PlayedFile.open(path, type, { kind: 'audio' });
  if (file.container.audio === null) throw refuseKind('audio', `${type.name} video without sound`);
  using sound = new PlayedSound(file);
  using resampler = new Resampler(monoFloats(RATE));
  const peaks = new Peaks();
  const spectrum = new Spectrum();
  const reportSeconds = secondsReporter(report, 'peaks', file.seconds);
  const take = (bytes: Buffer): void => {
    const samples = new Float32Array(Uint8Array.from(bytes).buffer);
    peaks.take(samples);
    spectrum.take(samples);
  };
  for (let timed = sound.next(); timed !== null; timed = sound.next()) {
    const { frame, silentSeconds } = timed;
    if (peaks.sampleCount + silentSeconds * RATE >= SOUND_SECONDS_MAX * RATE) break;
    if (silentSeconds > 0) resampler.rest(silentSeconds, take);
    resampler.feed(frame, take);
    reportSeconds(peaks.sampleCount / RATE);
  }
  resampler.flush(take);
  if (peaks.sampleCount === 0) throw new MediaFaultFound('corrupt', 'no sound in the file can be decoded');
  await draw(spectrum.columns, join(outFolder, FILE));
  const heights = peaks.values.map((value) => Math.round(Math.min(1, value) * 255));
  return { kind: 'peaks', durationSeconds: peaks.sampleCount / RATE, peaks: heights };
}

class Peaks {
  values: number[] = [];
  sampleCount = 0;
  #samplesPerValue = 1;
  #peak = 0;
  #inPeak = 0;

  take(samples: Float32Array): void {
    for (const sample of samples) {
      const height = Math.abs(sample);
      if (height > this.#peak) this.#peak = height;
      this.#inPeak += 1;
      if (this.#inPeak >= this.#samplesPerValue) this.#close();
    }
    this.sampleCount += samples.length;
  }

  #close(): void {
    this.values.push(this.#peak);
    this.#peak = 0;
    this.#inPeak = 0;
    if (this.values.length < 2 * PEAKS_MAX) return;
    this.values = pairs(this.values, Math.max);
    this.#samplesPerValue *= 2;
  }
}

class Spectrum {
  columns: Float32Array[] = [];
  #hopSamples = WINDOW_SAMPLES / 2;
  readonly #window = new Float32Array(WINDOW_SAMPLES);
  #filled = 0;
  #skip = 0;

  take(samples: Float32Array): void {
    let at = 0;
    while (at < samples.length) {
      const skipped = Math.min(this.#skip, samples.length - at);
      this.#skip -= skipped;
      at += skipped;
      const count = Math.min(WINDOW_SAMPLES - this.#filled, samples.length - at);
      this.#window.set(samples.subarray(at, at + count), this.#filled);
      this.#filled += count;
      at += count;
      if (this.#filled === WINDOW_SAMPLES) this.#close();
    }
  }

  #close(): void {
    this.columns.push(powersOf(this.#window));
    const kept = Math.max(0, WINDOW_SAMPLES - this.#hopSamples);
    this.#window.copyWithin(0, WINDOW_SAMPLES - kept);
    this.#filled = kept;
    this.#skip = Math.max(0, this.#hopSamples - WINDOW_SAMPLES);
    if (this.columns.length < 2 * SPECTRUM_WIDTH) return;
    this.columns = pairs(this.columns, (left, right) =>
      left.map((power, tone) => Math.max(power, right[tone] ?? 0)),
    );
    this.#hopSamples *= 2;
  }
}

function pairs<T>(values: readonly T[], join: (left: T, right: T) => T): T[] {
  return values.flatMap((value, index) => {
    const next = values[index + 1];
    return index % 2 === 1 ? [] : [next === undefined ? value : join(value, next)];
  });
}

/** Black, with the loudness as opacity, low tones below: the page gives it its own colour. */
async function draw(columns: readonly Float32Array[], path: string): Promise<void> {
  const width = Math.max(1, columns.length);
  const pixels = Buffer.alloc(width * SPECTRUM_HEIGHT * 4);
  for (const [x, powers] of columns.entries()) {
    for (let y = 0; y < SPECTRUM_HEIGHT; y += 1) {
      const db = 10 * Math.log10((powers[SPECTRUM_HEIGHT - 1 - y] ?? 0) + 1e-12);
      const strength = Math.max(0, Math.min(1, 1 - db / FLOOR_DB));
      pixels[(y * width + x) * 4 + 3] = Math.round(strength * 255);
    }
  }
  const image = sharp(pixels, { raw: { width, height: SPECTRUM_HEIGHT, channels: 4 } });
  const shown =
    width > SPECTRUM_WIDTH
      ? image.resize({ width: SPECTRUM_WIDTH, height: SPECTRUM_HEIGHT, fit: 'fill' })
      : image;
  await shown.webp({ quality: 1, alphaQuality: ALPHA_QUALITY }).toFile(path);
}

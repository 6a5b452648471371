/**
 * Writes sound as the speech models take it: 16 kHz, one channel, 32-bit floats, as it comes, so that memory
 * stays flat. Stereo channels are written besides the mix if they hold different speakers: if their
 * correlation is below 0.5 and the quieter one has at least a hundredth of the louder one's energy. Music,
 * film and two microphones in one room correlate above that (0.6 to 1), an interview with a microphone each
 * near 0. Below −0.5 one was wired the wrong way round, and the left one is the mix.
 */
import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame } from 'node-av/lib';
import { voiceName } from '../../domain/verdicts/channel-name.ts';
import { type ChannelChoice, monoFloats, Resampler } from '../libav/resampler.ts';
import type { SoundFile } from '../protocol/decoded-media.ts';
import { powersOf, WINDOW_SAMPLES } from '../renditions/sound-spectrum.ts';

export const MODEL_RATE = 16_000;
const CORRELATION_MAX = 0.5;
const ENERGY_SHARE_MIN = 0.01;
/** −60 dB of full scale on the whole: below is the noise of silent channels, which never correlates. */
const AUDIBLE_POWER_MIN = 1e-6;
/** A float file may hold anything; a model fed with infinities answers nonsense for the whole batch. */
const AMPLITUDE_MAX = 8;

interface Tap {
  name: string;
  choice: ChannelChoice;
  file: string;
  descriptor: number;
  resampler: Resampler;
  sampleCount: number;
  /** Sum of the samples' squares. */
  energy: number;
  band: BandMeter;
}

type MeasuredSound = Omit<SoundFile, 'codec'>;

export class SoundFiles implements Disposable {
  readonly #folder: string;
  readonly #taps: Tap[] = [];
  readonly #energy = { left: 0, right: 0, both: 0 };
  #left: Float32Array = new Float32Array();

  /** `track` from 1; null if there is one. */
  constructor(folder: string, channelCount: number, track: number | null) {
    this.#folder = folder;
    this.#open(track, 'mix');
    if (channelCount === 2) for (const channel of [0, 1]) this.#open(track, channel);
  }

  get seconds(): number {
    return (this.#taps[0]?.sampleCount ?? 0) / MODEL_RATE;
  }

  write(frame: Frame): void {
    const isStereo = frame.channels === 2;
    for (const tap of this.#taps) {
      // A broadcast that goes from stereo to mono or surround and back: its channels are no longer two persons.
      if (tap.choice === 'mix' || isStereo) tap.resampler.feed(frame, (samples) => this.#take(tap, samples));
    }
  }

  /** Silence, of all channels. */
  rest(seconds: number): void {
    for (const tap of this.#taps) tap.resampler.rest(seconds, (samples) => this.#take(tap, samples));
  }

  /** Ends the files and keeps those that are worth it. */
  finish(): MeasuredSound[] {
    for (const tap of this.#taps) tap.resampler.flush((samples) => this.#take(tap, samples));
    const [mix, left, right] = this.#taps;
    this[Symbol.dispose]();
    if (mix === undefined) throw new Error('the mix was never opened');
    if (left === undefined || right === undefined) return [toSoundFile(mix)];
    const isWhole = left.sampleCount === mix.sampleCount && right.sampleCount === mix.sampleCount;
    const correlation = this.#correlation();
    const isOpposed = isWhole && correlation < -CORRELATION_MAX;
    if (isWhole && this.#differ(correlation)) return this.#taps.map(toSoundFile);
    if (isOpposed) renameSync(join(this.#folder, left.file), join(this.#folder, mix.file));
    else rmSync(join(this.#folder, left.file));
    rmSync(join(this.#folder, right.file));
    return [toSoundFile(isOpposed ? { ...mix, band: left.band, energy: left.energy } : mix)];
  }

  [Symbol.dispose](): void {
    for (const tap of this.#taps) {
      tap.resampler[Symbol.dispose]();
      if (tap.descriptor >= 0) closeSync(tap.descriptor);
      tap.descriptor = -1;
    }
  }

  #open(track: number | null, choice: ChannelChoice): void {
    const name = voiceName({ track, channel: choice === 'mix' ? null : choice + 1 });
    const file = `${name}.f32`;
    const descriptor = openSync(join(this.#folder, file), 'w');
    const resampler = new Resampler(monoFloats(MODEL_RATE), choice);
    this.#taps.push({
      name,
      choice,
      file,
      descriptor,
      resampler,
      sampleCount: 0,
      energy: 0,
      band: new BandMeter(),
    });
  }

  #take(tap: Tap, bytes: Buffer): void {
    const samples = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
    for (let index = 0; index < samples.length; index++) {
      const sample = samples[index] ?? 0;
      if (!(Math.abs(sample) <= AMPLITUDE_MAX)) samples[index] = 0;
      else tap.energy += sample * sample;
    }
    if (tap.choice === 0) this.#left = samples.slice();
    if (tap.choice === 1) this.#measure(samples);
    tap.band.feed(samples);
    writeSync(tap.descriptor, bytes);
    tap.sampleCount += samples.length;
  }

  /** Both channels go through equal resamplers, so their pieces come in equal lengths. */
  #measure(right: Float32Array): void {
    const energy = this.#energy;
    for (let index = 0; index < Math.min(right.length, this.#left.length); index++) {
      const a = this.#left[index] as number;
      const b = right[index] as number;
      energy.left += a * a;
      energy.right += b * b;
      energy.both += a * b;
    }
  }

  #correlation(): number {
    const { left, right, both } = this.#energy;
    return left > 0 && right > 0 ? both / Math.sqrt(left * right) : 1;
  }

  #differ(correlation: number): boolean {
    const { left, right } = this.#energy;
    const isBothHeard = Math.min(left, right) >= ENERGY_SHARE_MIN * Math.max(left, right);
    const isAudible = Math.max(left, right) >= AUDIBLE_POWER_MIN * (this.#taps[0]?.sampleCount ?? 0);
    return isAudible && isBothHeard && Math.abs(correlation) < CORRELATION_MAX;
  }
}

function toSoundFile({ name, file, sampleCount, energy, band }: Tap): MeasuredSound {
  const meanDb = energy === 0 ? null : 10 * Math.log10(energy / sampleCount);
  return { name, file, sampleCount, meanDb, upperBandDb: band.upperBandDb };
}

/** A tone of sound at 16 kHz is 62.5 Hz wide: 0.3 to 3.4 kHz, and 4.5 to 7.5 kHz, where a telephone carries nothing. */
const LOWER_TONES = { from: 5, to: 54 };
const UPPER_TONES = { from: 72, to: 120 };
const PIECE_STEP = 4;
/** A band that is wholly empty. */
const BAND_DB_MIN = -120;
const BAND_DB_MAX = 120;

/** Measures, as a sound comes, how much of it lies above the band of a telephone. Loud pieces count most, so that pauses say nothing. */
export class BandMeter {
  readonly #piece = new Float32Array(WINDOW_SAMPLES);
  #filled = 0;
  #pieces = 0;
  #lower = 0;
  #upper = 0;

  feed(samples: Float32Array): void {
    for (let at = 0; at < samples.length; ) {
      const part = samples.subarray(at, at + WINDOW_SAMPLES - this.#filled);
      this.#piece.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
      if (this.#filled === WINDOW_SAMPLES) this.#measure();
    }
  }

  get upperBandDb(): number | null {
    if (this.#lower === 0) return null;
    const decibels = 10 * Math.log10(this.#upper / this.#lower);
    return Math.min(BAND_DB_MAX, Math.max(BAND_DB_MIN, Math.round(decibels * 10) / 10));
  }

  #measure(): void {
    this.#filled = 0;
    if (this.#pieces++ % PIECE_STEP !== 0) return;
    const powers = powersOf(this.#piece);
    this.#lower += meanOf(powers, LOWER_TONES);
    this.#upper += meanOf(powers, UPPER_TONES);
  }
}

function meanOf(powers: Float32Array, { from, to }: { from: number; to: number }): number {
  let sum = 0;
  for (let tone = from; tone <= to; tone += 1) sum += powers[tone] ?? 0;
  return sum / (to - from + 1);
}

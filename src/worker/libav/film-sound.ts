/** The sound of a film's rendition: blocks for the encoder, each at its time from the film's beginning. */
import type { PlayedFile } from './played-file.ts';
import { Resampler } from './resampler.ts';
import { PlayedSound, type TimedFrame } from './timed-sound.ts';
import { OPUS_RATE, opusShape } from './webm-file.ts';

/** Camera clocks drift by less between two blocks; more is a gap, which stays silent. */
const GAP_SAMPLES_MIN = OPUS_RATE / 5;
const SAMPLE_BYTES = 4;

export interface SoundBlock {
  samples: Buffer;
  /** First sample, counted from the film's beginning. */
  at: number;
}

export class FilmSound implements Disposable {
  readonly #played: PlayedSound;
  readonly #resampler: Resampler;
  readonly channels: number;
  #pending: TimedFrame | null;
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** Position of the first sample in `#held`. */
  #at = 0;
  #isEnded = false;

  constructor(file: PlayedFile) {
    this.#played = new PlayedSound(file);
    this.#pending = this.#played.next();
    this.channels = Math.max(1, Math.min(2, this.#pending?.frame.channels ?? 1));
    this.#resampler = new Resampler(opusShape(this.channels));
    this.#at = Math.max(0, placeOf(this.#pending) ?? 0);
  }

  get isEmpty(): boolean {
    return this.#pending === null && this.#isEnded === false && this.#heldBytes === 0;
  }

  /** Time of the next block, in seconds from the film's beginning. */
  get seconds(): number {
    return this.#at / OPUS_RATE;
  }

  /** A block of so many samples of each channel, the last one shorter; null at the end. */
  next(blockSamples: number): SoundBlock | null {
    const bytes = blockSamples * this.channels * SAMPLE_BYTES;
    while (this.#heldBytes < bytes && !this.#isEnded) {
      const place = placeOf(this.#pending);
      // `#held` ends before a gap: the rest of its block is silence.
      if (place !== null && place - this.#endOfHeld() > GAP_SAMPLES_MIN) {
        if (this.#heldBytes > 0) this.#hold(Buffer.alloc(bytes - this.#heldBytes));
        else this.#at = place;
      }
      if (this.#heldBytes < bytes) this.#feed();
    }
    return this.#heldBytes === 0 ? null : this.#cut(bytes);
  }

  [Symbol.dispose](): void {
    this.#resampler[Symbol.dispose]();
    this.#played[Symbol.dispose]();
  }

  #feed(): void {
    const take = (samples: Buffer): void => this.#hold(Buffer.from(samples));
    if (this.#pending === null) {
      this.#resampler.flush(take);
      this.#isEnded = true;
      return;
    }
    this.#resampler.feed(this.#pending.frame, take);
    this.#pending = this.#played.next();
  }

  #hold(samples: Buffer): void {
    this.#held.push(samples);
    this.#heldBytes += samples.length;
  }

  #cut(bytes: number): SoundBlock {
    const whole = Buffer.concat(this.#held);
    const samples = whole.subarray(0, bytes);
    const rest = whole.subarray(bytes);
    const block = { samples, at: this.#at };
    this.#at += samples.length / SAMPLE_BYTES / this.channels;
    this.#held = rest.length > 0 ? [rest] : [];
    this.#heldBytes = rest.length;
    return block;
  }

  #endOfHeld(): number {
    return this.#at + this.#heldBytes / SAMPLE_BYTES / this.channels;
  }
}

function placeOf(timed: TimedFrame | null): number | null {
  return timed === null ? null : Math.round(timed.clockSeconds * OPUS_RATE);
}

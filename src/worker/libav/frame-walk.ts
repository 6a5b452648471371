import { AV_FRAME_FLAG_CORRUPT, AV_FRAME_FLAG_KEY } from 'node-av/constants';
import { Frame, type Stream } from 'node-av/lib';
import { type Container, NO_TIME } from './container.ts';
import { CLOCK_JUMP_SECONDS_MIN } from './steady-clock.ts';
import type { StreamDecoder } from './stream-decoder.ts';
import { playedSeconds, stampAt, type TimeSpan, toTimestamp } from './time-span.ts';

/** A shorter gap is decoded through: a seek costs a refill and the frames from the key frame on (120 until two are known). */
const SEEK_FRAMES_MIN = 120;
const REFILL_FRAMES = 8;
/** Without an index a seek lands near a time, at worst behind it: the next tries go back this far. */
const STEPS_BACK_SECONDS = [2, 8, 32];
const FRAME_RATE_DEFAULT = 25;

interface ShownFrame {
  frame: Frame;
  stream: Stream;
  /** From the beginning of the part that is walked. */
  timeSeconds: number;
}

/** Frames that a player shows at ascending times, each once; long gaps are skipped by key frames, so hours cost seconds. */
export class FrameWalk implements Disposable {
  readonly #container: Container;
  readonly #stream: Stream;
  readonly #decoder: StreamDecoder;
  readonly #span: TimeSpan;
  readonly #start: bigint;
  /** Later stamps are damage. */
  readonly #latest: bigint;
  readonly #frameTicks: bigint;
  /** The last frame at or before the time, and the first one after it. */
  readonly #held = new Timed();
  readonly #ahead = new Timed();
  #lastTime = NO_TIME;
  #lastKey = NO_TIME;
  /** Largest distance between two key frames so far. */
  #keyTicks = 0n;
  #isEnded = false;
  #isDamagePassed = false;
  /** Times at which the video has a frame, but none that can be decoded. */
  damagedFrames = 0;

  constructor(container: Container, stream: Stream, decoder: StreamDecoder, span: TimeSpan) {
    this.#container = container;
    this.#stream = stream;
    this.#decoder = decoder;
    this.#span = span;
    this.#start = span.start;
    this.#latest = stampAt(span, span.seconds + CLOCK_JUMP_SECONDS_MIN, stream);
    const { num, den } = stream.avgFrameRate;
    const rate = num > 0 && den > 0 ? num / den : FRAME_RATE_DEFAULT;
    const ticks = toTimestamp(1 / rate, stream);
    this.#frameTicks = ticks > 0n ? ticks : 1n;
    container.readOnly(stream);
  }

  /** The frame shown at a time, valid until the next call; null if it was given before or cannot be decoded. */
  frameAt(seconds: number): ShownFrame | null {
    const target = stampAt(this.#span, seconds, this.#stream);
    if (this.#isFar(target)) this.#seek(target);
    this.#advance(target);
    const shown = this.#held.isEmpty ? this.#ahead : this.#held;
    if (shown.isEmpty || this.#isMissing(target)) {
      this.damagedFrames += 1;
      return null;
    }
    if (shown.time === this.#lastTime) {
      if (this.#isDamagePassed) this.damagedFrames += 1;
      return null;
    }
    this.#lastTime = shown.time;
    this.#isDamagePassed = false;
    const timeSeconds = playedSeconds(this.#span, shown.time, this.#stream);
    return { frame: shown.frame, stream: this.#stream, timeSeconds };
  }

  [Symbol.dispose](): void {
    this.#held.frame.free();
    this.#ahead.frame.free();
  }

  #isFar(target: bigint): boolean {
    // A stream without stamps cannot be sought by them.
    if (this.#stream.startTime === NO_TIME) return false;
    const position = this.#ahead.isEmpty ? this.#start : this.#ahead.time;
    const gap = (target - position) / this.#frameTicks;
    if (this.#keyTicks === 0n) return gap > SEEK_FRAMES_MIN;
    return gap > this.#keyTicks / this.#frameTicks / 2n + BigInt(REFILL_FRAMES);
  }

  #seek(target: bigint): void {
    for (const step of [0, ...STEPS_BACK_SECONDS]) {
      const back = target - toTimestamp(step, this.#stream);
      const isBefore = back <= this.#start;
      const place = isBefore ? this.#start : back;
      if (!this.#container.seek(this.#stream, place)) return;
      this.#decoder.restart();
      this.#held.clear();
      this.#ahead.clear();
      this.#lastKey = NO_TIME;
      this.#isEnded = false;
      this.#advance(place);
      if (!this.#held.isEmpty || isBefore) return;
    }
  }

  #advance(target: bigint): void {
    while (!this.#isEnded && (this.#ahead.isEmpty || this.#ahead.time <= target)) {
      this.#held.take(this.#ahead);
      this.#readAhead();
    }
  }

  #readAhead(): void {
    for (;;) {
      const badBefore = this.#decoder.badPackets;
      const frame = this.#decoder.next();
      if (this.#decoder.badPackets > badBefore) this.#isDamagePassed = true;
      if (frame === null) {
        this.#isEnded = true;
        return;
      }
      if (frame.hasFlags(AV_FRAME_FLAG_CORRUPT) || frame.decodeErrorFlags !== 0) {
        this.#isDamagePassed = true;
        continue;
      }
      const stamp = frame.bestEffortTimestamp;
      const follows = this.#held.isEmpty ? this.#start : this.#held.time + this.#frameTicks;
      const time = stamp === NO_TIME || stamp > this.#latest ? follows : stamp;
      if (frame.hasFlags(AV_FRAME_FLAG_KEY)) this.#noteKey(time);
      this.#ahead.set(frame, time);
      return;
    }
  }

  #noteKey(time: bigint): void {
    const ticks = this.#lastKey === NO_TIME ? 0n : time - this.#lastKey;
    if (ticks > this.#keyTicks) this.#keyTicks = ticks;
    this.#lastKey = time;
  }

  /** The stream ended well before the time: the container says there is more, the data does not. */
  #isMissing(target: bigint): boolean {
    if (!this.#isEnded || this.#held.isEmpty) return false;
    const { frame, time } = this.#held;
    const end = time + (frame.duration > 0n ? frame.duration : this.#frameTicks);
    return target > end + this.#frameTicks && this.#isDamagePassed;
  }
}

/** A frame that outlives the decoder's next one. */
class Timed {
  readonly frame = new Frame();
  time = NO_TIME;

  constructor() {
    this.frame.alloc();
  }

  get isEmpty(): boolean {
    return this.time === NO_TIME;
  }

  set(frame: Frame, time: bigint): void {
    this.frame.unref();
    this.frame.ref(frame);
    this.time = time;
  }

  take(other: Timed): void {
    if (other.isEmpty) return;
    this.set(other.frame, other.time);
    other.clear();
  }

  clear(): void {
    this.frame.unref();
    this.time = NO_TIME;
  }
}

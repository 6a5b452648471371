/** Decoded sound by its times: gaps in which players are silent stay, or samples laid end to end would be heard early. */
import type { Frame } from 'node-av/lib';
import { NO_TIME } from './container.ts';
import type { Reading } from './media-file.ts';
import type { PlayedFile } from './played-file.ts';
import { GAP_SECONDS_MIN, SteadyClock } from './steady-clock.ts';
import { StreamDecoder } from './stream-decoder.ts';
import { pauseSecondsMax, toSeconds } from './time-span.ts';

/** Containers round times to a millisecond: silence may only lie where time jumps by more, never within a word. */
const JUMP_SECONDS_MIN = 0.01;
/** Demuxers without a clock: the media library counts their frames by the first one's rate. */
const CLOCKLESS = /^(mp3|aac|ac3|eac3|amr|wav|aiff|caf)/;

export interface TimedFrame {
  /** Valid until the next one is asked for. */
  frame: Frame;
  /** Its beginning, from that of the file; slightly below 0 if it begins before. */
  clockSeconds: number;
  silentSeconds: number;
}

/** One track of a file from its beginning to its end, through all of the file's parts. */
export class PlayedSound implements Disposable {
  readonly #file: PlayedFile;
  readonly #track: number;
  readonly #frames: Generator<TimedFrame, void, undefined>;
  #decoder: StreamDecoder | null = null;
  /** Some of the sound so far could not be decoded. */
  isDamaged = false;

  /** `track`: 0 is the one that players play first. */
  constructor(file: PlayedFile, track = 0) {
    this.#file = file;
    this.#track = track;
    this.#frames = this.#read();
  }

  next(): TimedFrame | null {
    const next = this.#frames.next();
    return next.done === true ? null : next.value;
  }

  [Symbol.dispose](): void {
    this.#decoder?.[Symbol.dispose]();
  }

  *#read(): Generator<TimedFrame, void, undefined> {
    let given = 0;
    for (const [index, { beginSeconds }] of this.#file.parts.entries()) {
      const reading = this.#file.read(index, 'audio', this.#track);
      if (reading === null) continue;
      reading.container.readOnly(reading.stream);
      const decoder = new StreamDecoder(reading.container, reading.stream);
      this.#decoder = decoder;
      const begin = this.#file.beginsAt(index, reading.stream);
      let before = Math.max(0, beginSeconds - given);
      const position = Math.max(0, given - beginSeconds);
      for (const { frame, clockSeconds, silentSeconds } of timedFrames(reading, decoder, {
        begin,
        position,
      })) {
        const silence = before + silentSeconds;
        before = 0;
        const timed = { frame, clockSeconds: clockSeconds + beginSeconds };
        given += silence + frame.nbSamples / frame.sampleRate;
        yield { ...timed, silentSeconds: silence };
      }
      this.isDamaged ||= decoder.badPackets > 0 || reading.container.isReadBroken;
      decoder[Symbol.dispose]();
      this.#decoder = null;
    }
  }
}

/** `begin`: by its clock; null: at the first frame. `position`: seconds given. A restarted clock leaves no gap. */
function* timedFrames(
  { container, stream }: Reading,
  decoder: StreamDecoder,
  from: { begin: number | null; position: number },
): Generator<TimedFrame, void, undefined> {
  const jumpSecondsMax = pauseSecondsMax(container);
  const isClockless = CLOCKLESS.test(container.formatName);
  const next = stream.startTime === NO_TIME ? null : toSeconds(stream.startTime, stream);
  let clock: SteadyClock | null = null;
  /** Seconds given so far, and the clock of what was read. */
  let [position, end] = [from.position, from.position];
  for (let frame = decoder.next(); frame !== null; frame = decoder.next()) {
    const { nbSamples, sampleRate, bestEffortTimestamp: stamp } = frame;
    if (nbSamples === 0) continue;
    const seconds = nbSamples / sampleRate;
    let place = end;
    if (stamp !== NO_TIME && !isClockless) {
      const at = toSeconds(stamp, stream);
      clock ??= new SteadyClock({ begin: from.begin ?? at, next: next ?? at, jumpSecondsMax });
      place = clock.place(at, seconds, { end, position });
    }
    const isJump = place - end >= JUMP_SECONDS_MIN;
    end = place + seconds;
    // Sound before the beginning is not played.
    if (end <= -GAP_SECONDS_MIN) continue;
    const silentSeconds = isJump && place - position >= GAP_SECONDS_MIN ? place - position : 0;
    position += silentSeconds + seconds;
    yield { frame, clockSeconds: place, silentSeconds };
  }
}

/** Decodes a stream of sound from its beginning to its end, for the consumer of the frames. */
import type { Stream } from 'node-av/lib';
import type { Container } from '../libav/container.ts';
import { StreamDecoder } from '../libav/stream-decoder.ts';
import { toSeconds } from '../libav/time-span.ts';
import { type TimedFrame, timedFrames } from '../libav/timed-sound.ts';
import { MediaFaultFound } from '../media/media-fault.ts';
import { assertDenseSound } from '../media/sound-density.ts';
import type { DecodedSound } from '../protocol/decoded-media.ts';
import { MODEL_RATE, SoundFiles } from './sound-files.ts';

export interface SoundWork {
  container: Container;
  stream: Stream;
  /** Where the file begins by its own clock; null: with its sound. */
  beginSeconds: number | null;
  outFolder: string;
  secondsMax: number;
  /** Whether a longer recording is refused, or its beginning is taken. */
  isLongRefused: boolean;
  onFrame?: (timed: TimedFrame) => void;
  onProgress: (seconds: number) => void;
}

export interface DecodedStream {
  sound: DecodedSound;
  /** The data ended early or was damaged in part. */
  isDamaged: boolean;
}

/** The header of an indexed container names the end to a frame; half a second less is missing data. */
const MISSING_SECONDS_MIN = 0.5;
/** Other containers' lengths are estimates, and nothing follows from them. */
const EXACT_LENGTH = /^(mov|wav|flac|aiff|caf)/;

/** The container stands at its beginning. Throws `corrupt` if no sound can be decoded at all. */
export function decodeSound(work: SoundWork): DecodedStream {
  const { container, stream, outFolder, secondsMax } = work;
  container.readOnly(stream);
  using decoder = new StreamDecoder(container, stream);
  const frames = timedFrames({ decoder, container, stream }, work.beginSeconds);
  const first = frames.next();
  if (first.done) throw new MediaFaultFound('corrupt', 'no sound in the file can be decoded');
  const { sampleRate, channels } = first.value.frame;
  using files = new SoundFiles(outFolder, channels);
  let samples = 0;
  for (let next: IteratorResult<TimedFrame, void> = first; next.done !== true; next = frames.next()) {
    const { frame, silentSeconds } = next.value;
    if (files.seconds + silentSeconds >= secondsMax) {
      if (work.isLongRefused) throw tooLong(container, secondsMax);
      break;
    }
    samples += frame.nbSamples * frame.channels + silentSeconds * MODEL_RATE;
    assertDenseSound(samples, container.sizeBytes);
    if (silentSeconds > 0) files.rest(silentSeconds);
    files.write(frame);
    work.onFrame?.(next.value);
    work.onProgress(files.seconds);
  }
  const sounds = files.finish();
  const durationSeconds = (sounds[0]?.sampleCount ?? 0) / MODEL_RATE;
  if (durationSeconds === 0)
    throw new MediaFaultFound(
      'corrupt',
      `the sound in the file is too short: no sample of it is left at ${MODEL_RATE} Hz`,
    );
  const isCutOff = durationSeconds < exactSeconds(container, stream) - MISSING_SECONDS_MIN;
  const isDamaged =
    decoder.badPackets > 0 || container.isReadBroken || (isCutOff && durationSeconds < secondsMax);
  return { sound: { durationSeconds, sampleRate, channelCount: channels, sounds }, isDamaged };
}

function exactSeconds(container: Container, stream: Stream): number {
  if (!EXACT_LENGTH.test(container.formatName) || stream.duration <= 0n) return 0;
  return toSeconds(stream.duration, stream);
}

function tooLong(container: Container, secondsMax: number): MediaFaultFound {
  const claimed = container.claimedSeconds ?? 0;
  const found = claimed > secondsMax ? `${Math.round(claimed)} seconds` : `more than ${secondsMax} seconds`;
  return new MediaFaultFound('too_long', `the recording lasts ${found}; at most ${secondsMax} are accepted`);
}

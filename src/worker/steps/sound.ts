/** Decodes a stream of sound from its beginning to its end, for the consumer of the frames. */
import type { Container } from '../libav/container.ts';
import type { PlayedFile } from '../libav/played-file.ts';
import { toSeconds } from '../libav/time-span.ts';
import { PlayedSound, type TimedFrame } from '../libav/timed-sound.ts';
import { MediaFaultFound } from '../media/media-fault.ts';
import type { DecodedSound } from '../protocol/decoded-media.ts';
import { SoundFiles } from './sound-files.ts';

export interface SoundWork {
  file: PlayedFile;
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

/** Throws `corrupt` if no sound can be decoded at all. */
export function decodeSound(work: SoundWork): DecodedStream {
  const { file, outFolder, secondsMax } = work;
  using played = new PlayedSound(file);
  const first = played.next();
  if (first === null) throw new MediaFaultFound('corrupt', 'no sound in the file can be decoded');
  const { sampleRate, channels } = first.frame;
  using files = new SoundFiles(outFolder, channels);
  for (let next: TimedFrame | null = first; next !== null; next = played.next()) {
    const { frame, silentSeconds } = next;
    if (files.seconds + silentSeconds >= secondsMax) {
      if (work.isLongRefused) throw tooLong(file.container, secondsMax);
      break;
    }
    if (silentSeconds > 0) files.rest(silentSeconds);
    files.write(frame);
    work.onFrame?.(next);
    work.onProgress(files.seconds);
  }
  const sounds = files.finish();
  const durationSeconds = (sounds[0]?.sampleCount ?? 0) / 16_000;
  if (durationSeconds === 0) throw new MediaFaultFound('corrupt', 'the sound in the file has no samples');
  const isCutOff = durationSeconds < exactSeconds(file) - MISSING_SECONDS_MIN;
  const isDamaged = played.isDamaged || (isCutOff && durationSeconds < secondsMax);
  return { sound: { durationSeconds, sampleRate, channelCount: channels, sounds }, isDamaged };
}

/** Where the header's length lies, what was read instead counts. */
function exactSeconds({ container, seconds }: PlayedFile): number {
  const stream = container.audio;
  if (stream === null || !EXACT_LENGTH.test(container.formatName) || stream.duration <= 0n) return 0;
  return Math.min(seconds, toSeconds(stream.duration, stream));
}

function tooLong(container: Container, secondsMax: number): MediaFaultFound {
  const claimed = container.claimedSeconds ?? 0;
  const found = claimed > secondsMax ? `${Math.round(claimed)} seconds` : `more than ${secondsMax} seconds`;
  return new MediaFaultFound('too_long', `the recording lasts ${found}; at most ${secondsMax} are accepted`);
}

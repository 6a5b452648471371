/** Decodes a stream of sound from its beginning to its end, for the consumer of the frames. */
import { type Container, codecNameOf } from '../libav/container.ts';
import type { PlayedFile } from '../libav/played-file.ts';
import { toSeconds } from '../libav/time-span.ts';
import { PlayedSound, type TimedFrame } from '../libav/timed-sound.ts';
import { MediaFaultFound } from '../media/media-fault.ts';
import { assertDenseSound } from '../media/sound-density.ts';
import type { DecodedSound } from '../protocol/decoded-media.ts';
import { MODEL_RATE, SoundFiles } from './sound-files.ts';

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

/** Each track of some minutes is some hundred megabytes of samples for each of its channels. */
const TRACKS_MAX = 8;
/** All tracks together may last so many times as long as one. */
const TRACK_LENGTHS_MAX = 2;

/** All tracks within the bounds, first the one that players play. Throws `corrupt` if nothing can be decoded. */
export function decodeSound(work: SoundWork): DecodedStream {
  const { file, secondsMax } = work;
  const count = file.container.sounds.length;
  const first = decodeSoundTrack(work, 0, count);
  if (first === null) throw new MediaFaultFound('corrupt', 'no sound in the file can be decoded');
  const sounds = [...first.sound.sounds];
  let { durationSeconds } = first.sound;
  let left = TRACK_LENGTHS_MAX * secondsMax - first.sound.durationSeconds;
  let judged = 1;
  for (let track = 1; track < Math.min(count, TRACKS_MAX); track += 1) {
    if (left < Math.min(secondsMax, file.seconds)) break;
    const further = { ...work, isLongRefused: false, onFrame: () => {} };
    const decoded = decodeSoundTrack(further, track, count);
    if (decoded === null) continue;
    sounds.push(...decoded.sound.sounds);
    durationSeconds = Math.max(durationSeconds, decoded.sound.durationSeconds);
    left -= decoded.sound.durationSeconds;
    judged += 1;
  }
  return { ...first, sound: { ...first.sound, durationSeconds, sounds, tracksLeftOut: count - judged } };
}

/** Null if nothing of it can be decoded. */
function decodeSoundTrack(work: SoundWork, track: number, count: number): DecodedStream | null {
  const { file, outFolder, secondsMax } = work;
  const { sizeBytes } = file.container;
  using played = new PlayedSound(file, track);
  const first = played.next();
  if (first === null) return null;
  const { sampleRate, channels } = first.frame;
  using files = new SoundFiles(outFolder, channels, count > 1 ? track + 1 : null);
  let samples = 0;
  for (let next: TimedFrame | null = first; next !== null; next = played.next()) {
    const { frame, silentSeconds } = next;
    if (files.seconds + silentSeconds >= secondsMax) {
      if (work.isLongRefused) throw tooLong(file.container, secondsMax);
      break;
    }
    samples += frame.nbSamples * frame.channels + silentSeconds * MODEL_RATE;
    assertDenseSound(samples, sizeBytes);
    if (silentSeconds > 0) files.rest(silentSeconds);
    files.write(frame);
    work.onFrame?.(next);
    work.onProgress(files.seconds);
  }
  const stream = file.container.sounds[track];
  const codec = stream === undefined ? 'unknown' : codecNameOf(stream);
  const sounds = files.finish().map((sound) => ({ ...sound, codec }));
  const durationSeconds = (sounds[0]?.sampleCount ?? 0) / MODEL_RATE;
  if (durationSeconds === 0) {
    if (track > 0) return null;
    const found = `no sample of it is left at ${MODEL_RATE} Hz`;
    throw new MediaFaultFound('corrupt', `the sound in the file is too short: ${found}`);
  }
  const isCutOff = durationSeconds < exactSeconds(file) - MISSING_SECONDS_MIN;
  const isDamaged = played.isDamaged || (isCutOff && durationSeconds < secondsMax);
  const sound = { durationSeconds, sampleRate, channelCount: channels, sounds, tracksLeftOut: 0 };
  return { sound, isDamaged };
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

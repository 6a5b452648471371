/**
 * Decoded sound as it lies in time. A track that begins after its picture, a recorder that was paused and a call that lost packets
 * leave gaps, in which players are silent: samples laid end to end would be heard before their time.
 */
import type { Frame, Stream } from 'node-av/lib';
import { NO_TIME } from './container.ts';
import type { StreamDecoder } from './stream-decoder.ts';
import { toSeconds } from './time-span.ts';

/** Clocks of cameras drift by less between two frames. */
export const GAP_SECONDS_MIN = 0.2;
/** Containers round times to a millisecond: only where time itself jumps may silence lie, never within a word. */
const JUMP_SECONDS_MIN = 0.01;

export interface TimedFrame {
  /** Valid until the next one is asked for. */
  frame: Frame;
  /** Before it. */
  silentSeconds: number;
}

/** `beginSeconds`: where the file begins by its own clock; null: with its first frame. */
export function* timedFrames(
  decoder: StreamDecoder,
  stream: Stream,
  beginSeconds: number | null,
): Generator<TimedFrame, void, undefined> {
  let begin = beginSeconds;
  /** How much was given, and how far the clock of what was read is. */
  let [position, end] = [0, 0];
  for (let frame = decoder.next(); frame !== null; frame = decoder.next()) {
    const { nbSamples, sampleRate, bestEffortTimestamp: stamp } = frame;
    if (nbSamples === 0) continue;
    if (stamp !== NO_TIME) begin ??= toSeconds(stamp, stream);
    const place = stamp === NO_TIME ? end : toSeconds(stamp, stream) - (begin ?? 0);
    const seconds = nbSamples / sampleRate;
    const isJump = place - end >= JUMP_SECONDS_MIN;
    end = place + seconds;
    // What lies before the beginning is not played.
    if (end <= -GAP_SECONDS_MIN) continue;
    const silentSeconds = isJump && place - position >= GAP_SECONDS_MIN ? place - position : 0;
    position += silentSeconds + seconds;
    yield { frame, silentSeconds };
  }
}

/**
 * Decoded sound as it lies in time. A track that begins after its picture, a recorder that was paused and a call that lost packets
 * leave gaps, in which players are silent: samples laid end to end would be heard before their time.
 */
import type { Frame, Stream } from 'node-av/lib';
import { type Container, NO_TIME } from './container.ts';
import type { StreamDecoder } from './stream-decoder.ts';
import { toSeconds } from './time-span.ts';

/** Clocks of cameras drift by less between two frames. */
const GAP_SECONDS_MIN = 0.2;
/** Containers round times to a millisecond: only where time itself jumps may silence lie, never within a word. */
const JUMP_SECONDS_MIN = 0.01;
/** A longer jump in a container whose clock may begin anew is the clock's, not a pause (`dts_delta_threshold` of ffmpeg). */
const CLOCK_JUMP_SECONDS_MIN = 10;

export interface TimedFrame {
  /** Valid until the next one is asked for. */
  frame: Frame;
  /** Where its clock says that it begins, from the beginning of the file; slightly below 0 if it begins before. */
  clockSeconds: number;
  /** Before it. */
  silentSeconds: number;
}

/**
 * `beginSeconds`: where the file begins by its own clock; null: with its first frame. Where the clock begins anew, as in a
 * broadcast that was recorded in pieces, sound goes on without a gap: nothing that was said is left out.
 */
export function* timedFrames(
  { decoder, container, stream }: { decoder: StreamDecoder; container: Container; stream: Stream },
  beginSeconds: number | null,
): Generator<TimedFrame, void, undefined> {
  const { mayRestartClock } = container;
  let begin = beginSeconds;
  /** How much was given, and how far the clock of what was read is. */
  let [position, end] = [0, 0];
  for (let frame = decoder.next(); frame !== null; frame = decoder.next()) {
    const { nbSamples, sampleRate, bestEffortTimestamp: stamp } = frame;
    if (nbSamples === 0) continue;
    let place = end;
    if (stamp !== NO_TIME) {
      const at = toSeconds(stamp, stream);
      begin ??= at;
      const jump = at - begin - end;
      const isAnew = position > 0 && jump < -GAP_SECONDS_MIN;
      if (isAnew || (mayRestartClock && Math.abs(jump) > CLOCK_JUMP_SECONDS_MIN)) {
        end = position;
        begin = at - position;
      }
      place = at - begin;
    }
    const seconds = nbSamples / sampleRate;
    const isJump = place - end >= JUMP_SECONDS_MIN;
    end = place + seconds;
    // What lies before the beginning is not played.
    if (end <= -GAP_SECONDS_MIN) continue;
    const silentSeconds = isJump && place - position >= GAP_SECONDS_MIN ? place - position : 0;
    position += silentSeconds + seconds;
    yield { frame, clockSeconds: place, silentSeconds };
  }
}

/**
 * Which moments of a video are analysed. `even` spreads them over time; `iframes` takes key frames, evenly by
 * their number; `color` and `flow` take the frames before which most changes (frame-change.ts).
 */
import { AVDISCARD_NONKEY } from 'node-av/constants';
import { NO_TIME } from '../libav/container.ts';
import { FrameWalk } from '../libav/frame-walk.ts';
import type { Reading } from '../libav/media-file.ts';
import { StreamDecoder } from '../libav/stream-decoder.ts';
import { type TimeSpan, toSeconds } from '../libav/time-span.ts';
import type { ChosenFrames } from '../protocol/decode-protocol.ts';
import { type ChangeMeter, colourMeter, motionMeter } from './frame-change.ts';

export interface ChoiceWork {
  /** Gives the video from its beginning; if frames need no choosing, it is never read. */
  open: () => Reading;
  span: TimeSpan;
  choice: ChosenFrames;
  report: (done: number, total: number) => void;
}

/** More key frames than this (an hour of every frame) are thinned while they are listed. */
const KEY_FRAMES_MAX = 100_000;
/** Pixels that are decoded to compare every frame, some seconds of work; longer videos are compared at fewer moments. */
const COMPARED_PIXELS_MAX = 2_000_000_000;
const COMPARED_FRAMES_MAX = 5000;
const MOMENTS_MAX = 600;
const REPORT_FRAMES = 50;

interface Scored {
  seconds: number;
  score: number;
}

/**
 * Gives so many times at most, seconds from the video's beginning, ascending. What it has to read for that, it reads
 * once.
 */
export function timeChooser(work: ChoiceWork): (countMax: number) => number[] {
  const { choice, span } = work;
  const even = (countMax: number) => spreadEvenly(countMax, span);
  if (choice.method === 'even') return even;
  if (choice.method === 'iframes') {
    const keys = listKeyTimes(work);
    return keys.length === 0 ? even : (countMax) => thin(keys, countMax);
  }
  using meter = choice.method === 'color' ? colourMeter() : motionMeter();
  const scored = scoreChanges(work, meter);
  return (countMax) => pickLargest(scored, countMax, span.seconds, even(countMax));
}

/** The middles of equal parts of what is seen: neither the black first frame nor the last one. */
export function spreadEvenly(
  count: number,
  { leadSeconds, seconds }: Pick<TimeSpan, 'leadSeconds' | 'seconds'>,
): number[] {
  const length = seconds - leadSeconds;
  return Array.from({ length: count }, (_, index) => leadSeconds + ((index + 0.5) * length) / count);
}

/** Reads no more than the container must, and decodes nothing. */
function listKeyTimes({ open, span }: Pick<ChoiceWork, 'open' | 'span'>): number[] {
  const { container, stream } = open();
  container.readOnly(stream, AVDISCARD_NONKEY);
  const times: number[] = [];
  for (let packet = container.readPacket(stream); packet !== null; packet = container.readPacket(stream)) {
    if (!packet.isKeyframe) continue;
    const time = packet.pts === NO_TIME ? packet.dts : packet.pts;
    if (time === NO_TIME) continue;
    times.push(Math.max(0, toSeconds(time - span.start, stream)));
    if (times.length >= KEY_FRAMES_MAX) break;
  }
  return times.sort((one, other) => one - other);
}

function thin(times: readonly number[], countMax: number): number[] {
  if (times.length <= countMax) return [...times];
  return Array.from(
    { length: countMax },
    (_, index) => times[Math.floor(((index + 0.5) * times.length) / countMax)] ?? 0,
  );
}

function scoreChanges(work: ChoiceWork, meter: ChangeMeter): Scored[] {
  const { span } = work;
  const reading = work.open();
  const { stream } = reading;
  const { width, height } = stream.codecpar;
  const { num, den } = stream.avgFrameRate;
  const frames = den > 0 ? Math.ceil((span.seconds * num) / den) : 0;
  const isShort =
    frames > 0 && frames <= COMPARED_FRAMES_MAX && frames * width * height <= COMPARED_PIXELS_MAX;
  return isShort ? scoreAll(work, reading, meter, frames) : scoreMoments(work, meter);
}

function scoreAll(
  { span, report }: ChoiceWork,
  { container, stream }: Reading,
  meter: ChangeMeter,
  total: number,
): Scored[] {
  container.readOnly(stream);
  using decoder = new StreamDecoder(container, stream);
  const scored: Scored[] = [];
  for (let frame = decoder.next(); frame !== null; frame = decoder.next()) {
    const time = frame.bestEffortTimestamp;
    if (time === NO_TIME) continue;
    scored.push({ seconds: toSeconds(time - span.start, stream), score: meter.measure(frame) });
    if (scored.length % REPORT_FRAMES === 0) report(Math.min(scored.length, total), total);
  }
  return scored;
}

/** Key frames if there are enough: they need nothing else decoded. Otherwise moments spread evenly. */
function scoreMoments(work: ChoiceWork, meter: ChangeMeter): Scored[] {
  const { span, choice, report } = work;
  const keys = listKeyTimes(work);
  const isDense = keys.length >= choice.countMax * 4;
  const times = isDense ? thin(keys, MOMENTS_MAX) : spreadEvenly(MOMENTS_MAX, span);
  const { container, stream } = work.open();
  using decoder = new StreamDecoder(container, stream);
  using walk = new FrameWalk(container, stream, decoder, span);
  const scored: Scored[] = [];
  for (const [done, time] of times.entries()) {
    const shown = walk.frameAt(time);
    if (shown !== null) scored.push({ seconds: shown.timeSeconds, score: meter.measure(shown.frame) });
    if (done % REPORT_FRAMES === 0) report(done, times.length);
  }
  return scored;
}

/** The largest changes, not all of one moment: each keeps a quarter of an even spread's distance from the others. */
function pickLargest(scored: Scored[], countMax: number, seconds: number, even: readonly number[]): number[] {
  const gap = seconds / (countMax * 4);
  const picked: number[] = [];
  const isApart = (time: number) => picked.every((other) => Math.abs(other - time) >= gap);
  const largest = scored.filter(({ score }) => score > 0).sort((one, other) => other.score - one.score);
  for (const { seconds: time } of largest) {
    if (picked.length >= countMax) break;
    if (isApart(time)) picked.push(time);
  }
  // A video in which little changes is still looked at as often as was asked for.
  for (const time of even) if (picked.length < countMax && isApart(time)) picked.push(time);
  return picked.sort((one, other) => one - other);
}

/** Chooses the analysed moments of a video: spread, key frames, or frames before which most changes (frame-change.ts). */
import { AVDISCARD_NONKEY } from 'node-av/constants';
import { NO_TIME } from '../libav/container.ts';
import type { PlayedFile, PlayedPart } from '../libav/played-file.ts';
import { PlayedFrames } from '../libav/played-frames.ts';
import { StreamDecoder } from '../libav/stream-decoder.ts';
import { playedSeconds } from '../libav/time-span.ts';
import type { ChosenFrames } from '../protocol/decode-protocol.ts';
import { type ChangeMeter, colourMeter, motionMeter } from './frame-change.ts';

export interface ChoiceWork {
  /** Not read unless frames must be chosen. */
  file: PlayedFile;
  choice: ChosenFrames;
  report: (done: number, total: number) => void;
}

/** More key frames (an hour in which every frame is one) are thinned while they are listed. */
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

/** Returns up to so many times, seconds from the video's beginning, ascending. Reads what it needs once. */
export function timeChooser(work: ChoiceWork): (countMax: number) => number[] {
  const { choice, file } = work;
  const even = (countMax: number) => spreadEvenly(countMax, file);
  if (choice.method === 'even') return even;
  if (choice.method === 'iframes') {
    const keys = listKeyTimes(file);
    return keys.length === 0 ? even : (countMax) => thin(keys, countMax);
  }
  using meter = choice.method === 'color' ? colourMeter() : motionMeter();
  const scored = scoreChanges(work, meter);
  return (countMax) => pickLargest(scored, countMax, file.seconds, even(countMax));
}

/** The middles of equal parts, so neither the black first frame nor the last one. */
export function spreadEvenly(
  count: number,
  { leadSeconds, seconds }: Pick<PlayedFile, 'leadSeconds' | 'seconds'>,
): number[] {
  const length = seconds - leadSeconds;
  return Array.from({ length: count }, (_, index) => leadSeconds + ((index + 0.5) * length) / count);
}

/** Reads no more than the containers must, and decodes nothing. */
function listKeyTimes(file: PlayedFile): number[] {
  return file.parts.flatMap((part, index) => listKeysOf(file, part, index)).slice(0, KEY_FRAMES_MAX);
}

function listKeysOf(file: PlayedFile, { span, beginSeconds }: PlayedPart, index: number): number[] {
  const reading = file.read(index, 'video');
  if (reading === null || span === null) return [];
  const { container, stream } = reading;
  container.readOnly(stream, AVDISCARD_NONKEY);
  const times: number[] = [];
  for (let packet = container.readPacket(stream); packet !== null; packet = container.readPacket(stream)) {
    if (!packet.isKeyframe) continue;
    const time = packet.pts === NO_TIME ? packet.dts : packet.pts;
    if (time === NO_TIME) continue;
    times.push(beginSeconds + playedSeconds(span, time, stream));
    if (times.length >= KEY_FRAMES_MAX) break;
  }
  return times.sort((one, other) => one - other);
}

export function thin(times: readonly number[], countMax: number): number[] {
  if (times.length <= countMax) return [...times];
  return Array.from(
    { length: countMax },
    (_, index) => times[Math.floor(((index + 0.5) * times.length) / countMax)] ?? 0,
  );
}

function scoreChanges(work: ChoiceWork, meter: ChangeMeter): Scored[] {
  const { file } = work;
  const stream = file.container.video;
  if (stream === null) return [];
  const { width, height } = stream.codecpar;
  const { num, den } = stream.avgFrameRate;
  const frames = den > 0 ? Math.ceil((file.seconds * num) / den) : 0;
  const isShort =
    frames > 0 && frames <= COMPARED_FRAMES_MAX && frames * width * height <= COMPARED_PIXELS_MAX;
  return isShort ? scoreAll(work, meter, frames) : scoreMoments(work, meter);
}

function scoreAll({ file, report }: ChoiceWork, meter: ChangeMeter, total: number): Scored[] {
  const scored: Scored[] = [];
  for (const [index, { span, beginSeconds }] of file.parts.entries()) {
    const reading = file.read(index, 'video');
    if (reading === null || span === null) continue;
    const { container, stream } = reading;
    container.readOnly(stream);
    using decoder = new StreamDecoder(container, stream);
    for (let frame = decoder.next(); frame !== null; frame = decoder.next()) {
      const time = frame.bestEffortTimestamp;
      if (time === NO_TIME) continue;
      const seconds = beginSeconds + playedSeconds(span, time, stream);
      scored.push({ seconds, score: meter.measure(frame) });
      if (scored.length % REPORT_FRAMES === 0) report(Math.min(scored.length, total), total);
    }
  }
  return scored;
}

/** Scores key frames if there are enough, since they need nothing else decoded; otherwise moments spread evenly. */
function scoreMoments({ file, choice, report }: ChoiceWork, meter: ChangeMeter): Scored[] {
  const keys = listKeyTimes(file);
  const isDense = keys.length >= choice.countMax * 4;
  const times = isDense ? thin(keys, MOMENTS_MAX) : spreadEvenly(MOMENTS_MAX, file);
  using frames = new PlayedFrames(file);
  const scored: Scored[] = [];
  for (const [done, time] of times.entries()) {
    const shown = frames.frameAt(time);
    if (shown !== null) scored.push({ seconds: shown.timeSeconds, score: meter.measure(shown.frame) });
    if (done % REPORT_FRAMES === 0) report(done, times.length);
  }
  return scored;
}

/** The largest changes, each at least a quarter of an even spread's distance from the others. */
function pickLargest(scored: Scored[], countMax: number, seconds: number, even: readonly number[]): number[] {
  const gap = seconds / (countMax * 4);
  const picked: number[] = [];
  const isApart = (time: number) => picked.every((other) => Math.abs(other - time) >= gap);
  const largest = scored.filter(({ score }) => score > 0).sort((one, other) => other.score - one.score);
  for (const { seconds: time } of largest) {
    if (picked.length >= countMax) break;
    if (isApart(time)) picked.push(time);
  }
  // A video with few changes still gets as many moments as were asked for.
  for (const time of even) if (picked.length < countMax && isApart(time)) picked.push(time);
  return picked.sort((one, other) => one - other);
}

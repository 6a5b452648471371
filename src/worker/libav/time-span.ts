/**
 * How long a stream really is. Headers lie or say nothing (a stream saved while live, a file cut off, MP3 and AAC
 * without an index), so the end is looked at: by reading the last packets, or all of them if that is cheap.
 */
import { statSync } from 'node:fs';
import type { Packet, Stream } from 'node-av/lib';
import { type Container, NO_TIME } from './container.ts';

export interface TimeSpan {
  /** Where the file begins, in the stream's time base: with the first of its picture and its sound, as players count. */
  start: bigint;
  /** The same, by the file's own clock. */
  startSeconds: number;
  /** From there to the stream's first frame. */
  leadSeconds: number;
  /** From there to the stream's end. */
  seconds: number;
  /** What the header said, if it said something else. */
  claimedSeconds: number | null;
}

/** Read whole in a fraction of a second, without decoding. */
const SCAN_BYTES_MAX = 64 * 1024 ** 2;
/** From the last key frame on; more means that the header names too early an end. */
const TAIL_PACKETS_MAX = 20_000;
/** Containers whose seeking is by an index or by exact sizes. */
const INDEXED = /^(mov|matroska|wav|flac|aiff|caf|avi|asf|ogg|mxf)/;
/** The header is believed if it is this near: it knows of samples to skip, packets do not. */
const AGREEMENT_SECONDS = 0.25;
const AGREEMENT_SHARE = 0.005;

/** Reads to the end of the stream; the container must be moved before it is read on. */
export function measureTimeSpan(container: Container, stream: Stream, path: string): TimeSpan {
  const claimedSeconds = stream.duration > 0n ? toSeconds(stream.duration, stream) : container.claimedSeconds;
  const isSmall = statSync(path).size <= SCAN_BYTES_MAX;
  const first = stream.startTime === NO_TIME ? null : stream.startTime;
  let extent: Extent | null = null;
  if (claimedSeconds !== null && (INDEXED.test(container.formatName) || !isSmall))
    extent = readTail(container, stream, claimedSeconds);
  if (extent === null && (isSmall || claimedSeconds === null)) extent = readWhole(container, stream);
  const own = first ?? extent?.start ?? 0n;
  const startSeconds = beginningOf(container, toSeconds(own, stream));
  const leadSeconds = toSeconds(own, stream) - startSeconds;
  const begin = { start: own - toTimestamp(leadSeconds, stream), startSeconds, leadSeconds };
  if (extent === null) return { ...begin, seconds: claimedSeconds ?? 0, claimedSeconds: null };
  const measured = Math.max(0, toSeconds(extent.end - begin.start, stream));
  if (claimedSeconds === null) return { ...begin, seconds: measured, claimedSeconds: null };
  // Some containers count a stream's length from its first frame, others from where the file begins.
  const [claimed = 0] = [claimedSeconds, claimedSeconds + leadSeconds].sort(
    (one, other) => Math.abs(one - measured) - Math.abs(other - measured),
  );
  const tolerance = Math.max(AGREEMENT_SECONDS, claimed * AGREEMENT_SHARE);
  const isAgreed = Math.abs(measured - claimed) <= tolerance;
  return isAgreed
    ? { ...begin, seconds: claimed, claimedSeconds: null }
    : { ...begin, seconds: measured, claimedSeconds: claimed };
}

/** Where the file begins for the listener of its sound, by its own clock in seconds; null if the container does not say. */
export function soundBeginning(container: Container, stream: Stream): number | null {
  const { startTime } = stream;
  return startTime === NO_TIME ? null : beginningOf(container, toSeconds(startTime, stream));
}

/** `ownSeconds`: the begin of a stream that is played. What lies before the clock's zero is not played. */
function beginningOf({ video, audio }: Container, ownSeconds: number): number {
  const others = [video, audio].flatMap((stream) =>
    stream === null || stream.startTime === NO_TIME ? [] : [Math.max(0, toSeconds(stream.startTime, stream))],
  );
  return Math.min(ownSeconds, ...others);
}

export function toSeconds(time: bigint, { timeBase }: Stream): number {
  return (Number(time) * timeBase.num) / timeBase.den;
}

export function toTimestamp(seconds: number, { timeBase }: Stream): bigint {
  return BigInt(Math.round((seconds * timeBase.den) / timeBase.num));
}

interface Extent {
  start: bigint;
  end: bigint;
}

function readTail(container: Container, stream: Stream, claimedSeconds: number): Extent | null {
  container.readOnly(stream);
  if (!container.seek(stream, toTimestamp(container.startSeconds + claimedSeconds, stream))) return null;
  return readExtent(container, stream, TAIL_PACKETS_MAX);
}

function readWhole(container: Container, stream: Stream): Extent | null {
  container.readOnly(stream);
  container.seek(stream, stream.startTime === NO_TIME ? 0n : stream.startTime);
  return readExtent(container, stream, Number.POSITIVE_INFINITY);
}

/** Null if there are no packets, or more than `packetsMax`. */
function readExtent(container: Container, stream: Stream, packetsMax: number): Extent | null {
  const frameTicks = ticksPerFrame(stream);
  let extent: Extent | null = null;
  for (let count = 0; ; count++) {
    const packet = container.readPacket(stream);
    if (packet === null) return extent;
    if (count >= packetsMax) return null;
    extent = widen(extent, packet, frameTicks);
  }
}

function widen(extent: Extent | null, packet: Packet, frameTicks: bigint): Extent | null {
  const { pts, dts, duration } = packet;
  const from = pts === NO_TIME ? dts : pts;
  if (from === NO_TIME) return extent;
  const to = from + (duration > 0n ? duration : frameTicks);
  if (extent === null) return { start: from, end: to };
  if (from < extent.start) extent.start = from;
  if (to > extent.end) extent.end = to;
  return extent;
}

/** Video packets of some containers carry no duration. */
function ticksPerFrame(stream: Stream): bigint {
  const { num, den } = stream.avgFrameRate;
  return num > 0 && den > 0 ? toTimestamp(den / num, stream) : 0n;
}

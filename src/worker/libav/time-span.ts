/** How long a stream really is. Headers lie, so its end is looked at: the last packets, or all if that is cheap. */
import { AVMEDIA_TYPE_AUDIO } from 'node-av/constants';
import type { Packet, Stream } from 'node-av/lib';
import { type Container, NO_TIME } from './container.ts';
import { CLOCK_JUMP_SECONDS_MIN, PAUSE_SECONDS_MAX } from './steady-clock.ts';

export interface TimeSpan {
  /** Where the file begins, in the stream's time base: with the first of picture and sound, as players count. */
  start: bigint;
  /** The same, by the file's own clock. */
  startSeconds: number;
  /** From the file's beginning to the stream's first frame. */
  leadSeconds: number;
  /** From the file's beginning to the stream's end. */
  seconds: number;
  /** The header's length, if it differs. */
  claimedSeconds: number | null;
  /** Stretches of the clock that are not played, ascending: they are too long for a pause. */
  skips: readonly ClockSkip[];
}

/** From a stamp on, so many units of the stream's time base are not played. */
export interface ClockSkip {
  from: bigint;
  ticks: bigint;
}

/** Read whole in a fraction of a second, without decoding. */
export const SCAN_BYTES_MAX = 64 * 1024 ** 2;
/** Packets from the last key frame on; more mean that the header names too early an end. */
const TAIL_PACKETS_MAX = 20_000;
/** Containers whose seeking is by an index or by exact sizes. */
const INDEXED = /^(mov|matroska|wav|flac|aiff|caf|avi|asf|ogg|mxf)/;
/** A header this near is believed: it knows of samples to skip, packets do not. */
const AGREEMENT_SECONDS = 0.25;
const AGREEMENT_SHARE = 0.005;

/** A length with fewer bytes a second, less than speech in the tightest codec, is measured instead of believed. */
const BYTES_PER_SECOND_MIN = 500;

/** Reads to the end of the stream, of `bytes`; the container must be moved before it is read on. */
export function measureTimeSpan(container: Container, stream: Stream, bytes: number): TimeSpan {
  const said = stream.duration > 0n ? toSeconds(stream.duration, stream) : container.claimedSeconds;
  const isSmall = bytes <= SCAN_BYTES_MAX;
  const isAbsurd = said !== null && said > PAUSE_SECONDS_MAX && said * BYTES_PER_SECOND_MIN > bytes;
  const claimedSeconds = isAbsurd ? null : said;
  let extent: Extent | null = null;
  if (claimedSeconds !== null && (INDEXED.test(container.formatName) || !isSmall))
    extent = readTail(container, stream, claimedSeconds);
  if (extent === null && (isSmall || claimedSeconds === null)) extent = readWhole(container, stream);
  const first = isAbsurd || stream.startTime === NO_TIME ? null : stream.startTime;
  const own = first ?? extent?.start ?? 0n;
  const startSeconds = beginningOf(container, toSeconds(own, stream));
  const leadSeconds = toSeconds(own, stream) - startSeconds;
  const skips = extent?.skips ?? [];
  const begin = { start: own - toTimestamp(leadSeconds, stream), startSeconds, leadSeconds, skips };
  if (extent === null) return { ...begin, seconds: claimedSeconds ?? 0, claimedSeconds: null };
  const { countedSeconds } = extent;
  const measured =
    countedSeconds === null ? playedSeconds(begin, extent.end, stream) : leadSeconds + countedSeconds;
  if (claimedSeconds === null) return { ...begin, seconds: measured, claimedSeconds: said };
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

/** A longer jump of the clock is no pause. */
export function pauseSecondsMax({ mayRestartClock }: Container): number {
  return mayRestartClock ? CLOCK_JUMP_SECONDS_MIN : PAUSE_SECONDS_MAX;
}

type ClockOfSpan = Pick<TimeSpan, 'start' | 'skips'>;

/** The time at which a stamp is played, from the beginning. */
export function playedSeconds({ start, skips }: ClockOfSpan, stamp: bigint, stream: Stream): number {
  const skipped = skips.reduce((sum, { from, ticks }) => (stamp >= from + ticks ? sum + ticks : sum), 0n);
  return Math.max(0, toSeconds(stamp - start - skipped, stream));
}

export function stampAt({ start, skips }: ClockOfSpan, seconds: number, stream: Stream): bigint {
  return skips.reduce(
    (stamp, { from, ticks }) => (stamp > from ? stamp + ticks : stamp),
    start + toTimestamp(seconds, stream),
  );
}

/** Where the file begins for the listener of its sound, by its own clock in seconds; null if the container does not say. */
export function soundBeginning(container: Container, stream: Stream): number | null {
  const { startTime } = stream;
  return startTime === NO_TIME ? null : beginningOf(container, toSeconds(startTime, stream));
}

/** `ownSeconds`: the beginning of a played stream. Nothing before the clock's zero is played. */
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
  skips: ClockSkip[];
  /** The sum of the packets' lengths if there are no stamps, else null. */
  countedSeconds: number | null;
}

function readTail(container: Container, stream: Stream, claimedSeconds: number): Extent | null {
  container.readOnly(stream);
  const sought = toTimestamp(container.startSeconds + claimedSeconds, stream);
  if (!container.seek(stream, sought)) return null;
  // Measured from there a single last packet is near; from the file's beginning its stamp would look wild.
  return readExtent(container, stream, TAIL_PACKETS_MAX, sought);
}

function readWhole(container: Container, stream: Stream): Extent | null {
  container.readOnly(stream);
  if (stream.startTime !== NO_TIME) container.seek(stream, stream.startTime);
  return readExtent(container, stream, Number.POSITIVE_INFINITY, stream.startTime);
}

/** Null if there are no packets, or more than `packetsMax`. `from`: where the clock is expected to be, if that is known. */
function readExtent(container: Container, stream: Stream, packetsMax: number, from: bigint): Extent | null {
  const walk = new ExtentWalk(stream, pauseSecondsMax(container), from);
  for (let count = 0; ; count++) {
    const packet = container.readPacket(stream);
    if (packet === null) return walk.extent(frameSeconds.has(container.formatName));
    if (count >= packetsMax) return null;
    walk.take(packet, frameSeconds.get(container.formatName)?.(packet.data) ?? null);
  }
}

/** Widens by each packet, except for a stamp far from all others. */
class ExtentWalk {
  readonly #stream: Stream;
  /** The length of a packet that states none, or a wrong one. */
  #usualTicks: bigint;
  /** Sound goes on evenly; a picture may stand still. */
  readonly #jumpSecondsMax: number;
  readonly #pauseSecondsMax: number;
  readonly #skips: ClockSkip[] = [];
  #start: bigint | null = null;
  #end = 0n;
  /** The clock of the packets. */
  #next: bigint;
  /** A far stamp, which the next packet must confirm. */
  #doubtful: { from: bigint; to: bigint } | null = null;
  #accepted = 0;
  #seconds = 0;
  #count = 0;

  constructor(stream: Stream, pauseMax: number, from: bigint) {
    this.#stream = stream;
    this.#next = from;
    this.#usualTicks = ticksPerFrame(stream);
    const isSound = stream.codecpar.codecType === AVMEDIA_TYPE_AUDIO;
    this.#jumpSecondsMax = isSound ? CLOCK_JUMP_SECONDS_MIN : pauseMax;
    this.#pauseSecondsMax = pauseMax;
  }

  /** `seconds`: its length by its own head. */
  take({ pts, dts, duration }: Packet, seconds: number | null): void {
    const isBelieved = duration > 0n && toSeconds(duration, this.#stream) <= this.#jumpSecondsMax;
    if (isBelieved) this.#usualTicks = duration;
    const ticks = isBelieved ? duration : this.#usualTicks;
    this.#count += 1;
    this.#seconds += seconds ?? toSeconds(ticks, this.#stream);
    const from = pts === NO_TIME ? dts : pts;
    if (from === NO_TIME) return;
    const to = from + ticks;
    const next = this.#next;
    if (next !== NO_TIME && this.#isFar(from, next)) {
      if (!this.#isConfirmed(from)) {
        this.#doubtful = { from, to };
        return;
      }
      this.#goOn(this.#doubtful?.from ?? from, next);
    }
    this.#doubtful = null;
    this.#next = to;
    this.#accepted += 1;
    if (this.#start === null || from < this.#start) this.#start = from;
    if (to > this.#end) this.#end = to;
  }

  /** Null without packets; `isCounted`: the packets' lengths count, not their stamps. */
  extent(isCounted: boolean): Extent | null {
    const skips = this.#skips;
    if (this.#start !== null && !isCounted)
      return { start: this.#start, end: this.#end, skips, countedSeconds: null };
    if (this.#count === 0) return null;
    return { start: this.#start ?? 0n, end: this.#end, skips, countedSeconds: this.#seconds };
  }

  #isFar(from: bigint, next: bigint): boolean {
    return Math.abs(toSeconds(from - next, this.#stream)) > this.#jumpSecondsMax;
  }

  /** Two stamps that continue each other are no damage: a pause, or a clock that was set. */
  #isConfirmed(from: bigint): boolean {
    return this.#doubtful !== null && !this.#isFar(from, this.#doubtful.to);
  }

  #goOn(from: bigint, next: bigint): void {
    const ticks = from - next;
    if (toSeconds(ticks, this.#stream) > this.#pauseSecondsMax) this.#skips.push({ from: next, ticks });
    if (ticks > 0n) return;
    const left = this.#skips.at(-1);
    // Back from where a few stamps were wild, or the first stamp of all was.
    if (left !== undefined && from >= left.from) this.#end = this.#skips.pop()?.from ?? from;
    else if (this.#accepted <= 1) [this.#start, this.#end] = [from, from];
  }
}

/** Video packets of some containers carry no duration. */
function ticksPerFrame(stream: Stream): bigint {
  const { num, den } = stream.avgFrameRate;
  return num > 0 && den > 0 ? toTimestamp(den / num, stream) : 0n;
}

/** A frame's length by its own head: the library counts all frames by the first one's rate, wrong for joined recordings. */

const ADTS_RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
];
const MPEG_RATES = [44_100, 48_000, 32_000];

/** By the demuxer's name; null where there is no head. */
const frameSeconds: ReadonlyMap<string, (frame: Buffer | null) => number | null> = new Map([
  ['aac', adtsSeconds],
  ['mp3', mpegSeconds],
]);

/** ISO/IEC 13818-7 6.2.1: 1024 samples in each of one to four blocks. */
function adtsSeconds(frame: Buffer | null): number | null {
  if (frame === null || frame.length < 7 || frame[0] !== 0xff || ((frame[1] ?? 0) & 0xf6) !== 0xf0)
    return null;
  const rate = ADTS_RATES[((frame[2] ?? 0) >> 2) & 0x0f];
  return rate === undefined ? null : (1024 * (((frame[6] ?? 0) & 3) + 1)) / rate;
}

/** ISO/IEC 11172-3 2.4.2.3 and 13818-3: version 1 has 1152 samples in layers II and III, later ones half in layer III. */
function mpegSeconds(frame: Buffer | null): number | null {
  if (frame === null || frame.length < 4 || frame[0] !== 0xff || ((frame[1] ?? 0) & 0xe0) !== 0xe0)
    return null;
  const [second = 0, third = 0] = frame.subarray(1);
  const version = (second >> 3) & 3;
  const base = MPEG_RATES[(third >> 2) & 3];
  if (base === undefined || version === 1) return null;
  const rate = base / { 3: 1, 2: 2, 0: 4 }[version as 0 | 2 | 3];
  const isHalved = version !== 3 && ((second >> 1) & 3) === 1;
  return (isHalved ? 576 : 1152) / rate;
}

/** Files laid end to end (pieces, broadcasts, chained Ogg): each part has its own clock; joins are where clocks jump. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { AVMEDIA_TYPE_AUDIO, AVMEDIA_TYPE_VIDEO } from 'node-av/constants';
import type { Packet, Stream } from 'node-av/lib';
import { formatOf, type MediaType } from '../../domain/media/formats.ts';
import { ownBeginning, readBytes } from '../media/file-head.ts';
import { type ByteRange, Container, NO_TIME, WHOLE } from './container.ts';
import { CLOCK_JUMP_SECONDS_MIN, GAP_SECONDS_MIN } from './steady-clock.ts';
import { StreamDecoder } from './stream-decoder.ts';
import { toSeconds } from './time-span.ts';

/** A day of clips of a quarter of an hour; opening a part costs 20 ms. Further ones stay within the last part. */
export const PARTS_MAX = 100;

/** The parts of a file in order; one if it is whole. Reads the file from end to end if its clock may begin anew. */
export function findParts(path: string, type: MediaType, container: Container): ByteRange[] {
  if (!container.mayRestartClock) return [WHOLE];
  const size = statSync(path).size;
  const starts =
    container.formatName === 'ogg' ? findLinks(path, size) : findClockJoins(path, type, container.formatName);
  if (starts.length === 0) return [WHOLE];
  const ascending = [...new Set(starts)].sort((one, other) => one - other);
  const begins = [0, ...ascending.filter((start) => start > 0 && start < size).slice(0, PARTS_MAX - 1)];
  return begins.map((start, index) => ({ start, end: begins[index + 1] ?? null }));
}

/** Where a file is read from: behind a leading tag. Positions in the file may or may not count boxes before the first one. */
export function ownRange(path: string, type: MediaType): ByteRange {
  const start = ownBeginning(path);
  if (start === 0 || (formatOf(type.mime)?.demuxers === 'mov' && canDecode(path, type))) return WHOLE;
  return { start, end: null };
}

function canDecode(path: string, type: MediaType): boolean {
  using container = Container.open(path, type);
  const stream = container.video ?? container.audio;
  if (stream === null) return false;
  container.readOnly(stream);
  using decoder = new StreamDecoder(container, stream);
  return decoder.next() !== null && decoder.badPackets === 0;
}

const OGG_HEAD_BYTES = 27;
const OGG_BEGINS = 0x02;

/** RFC 3533 6: each stream's first page says so; such a page between others begins another link. */
function findLinks(path: string, size: number): number[] {
  const file = openSync(path, 'r');
  const head = Buffer.alloc(OGG_HEAD_BYTES + 255);
  const links: number[] = [];
  let isBegun = false;
  try {
    for (let at = 0; at < size && links.length < PARTS_MAX; ) {
      const read = readSync(file, head, 0, head.length, at);
      if (read < OGG_HEAD_BYTES || head.toString('latin1', 0, 4) !== 'OggS') break;
      const isBeginning = ((head[5] ?? 0) & OGG_BEGINS) !== 0;
      if (isBeginning && isBegun) links.push(at);
      isBegun = !isBeginning;
      const segments = head[26] ?? 0;
      at += OGG_HEAD_BYTES + segments;
      for (const length of head.subarray(OGG_HEAD_BYTES, OGG_HEAD_BYTES + segments)) at += length;
    }
  } finally {
    closeSync(file);
  }
  return links;
}

/** Where the clocks of all streams jump together, with the first byte behind. */
interface Join {
  at: number;
  seconds: number;
}

interface StreamClock {
  last: number;
  /** Joins that it has passed. */
  passed: number;
  /** A jump that the next packet must confirm. */
  doubtful: Join | null;
}

/** Positions of the packets' heads; what describes the streams may stand before them. */
function findClockJoins(path: string, type: MediaType, formatName: string): number[] {
  using container = Container.openUnparsed(path, type);
  const clocks = new Map<number, StreamClock>();
  const joins: Join[] = [];
  const streamOf = streamsOf(container);
  for (let packet = container.readPacket(null); packet !== null; packet = container.readPacket(null)) {
    const stream = streamOf(packet.streamIndex);
    if (!isPlayed(stream)) continue;
    const seconds = timeOf(packet, stream);
    if (seconds === null) continue;
    const clock = clocks.get(packet.streamIndex);
    if (clock === undefined) {
      clocks.set(packet.streamIndex, { last: seconds, passed: joins.length, doubtful: null });
      continue;
    }
    const jump = findJump(clock, seconds, Number(packet.pos));
    if (jump !== null) pass(joins, clock, jump);
  }
  const ids = new Set(container.streams.map(({ id }) => id));
  return joins.map(({ at }) =>
    formatName === 'mpegts' ? beforeTables(path, at, ids) : beforePack(path, at),
  );
}

/** Each stream is asked for once, since a list of all is made anew each time. */
function streamsOf(container: Container): (index: number) => Stream {
  const known: Stream[] = [];
  return (index) => {
    if (known[index] === undefined) known.splice(0, known.length, ...container.streams);
    const found = known[index];
    if (found === undefined) throw new Error('a packet of no stream was read');
    return found;
  };
}

function isPlayed({ codecpar: { codecType } }: Stream): boolean {
  return codecType === AVMEDIA_TYPE_VIDEO || codecType === AVMEDIA_TYPE_AUDIO;
}

/** Decoding times rise evenly, while presentation times go to and fro. */
function timeOf({ pts, dts }: Packet, stream: Stream): number | null {
  const time = dts === NO_TIME ? pts : dts;
  return time === NO_TIME ? null : toSeconds(time, stream);
}

/** The jump that this packet confirms, since one wild stamp is none. */
function findJump(clock: StreamClock, seconds: number, at: number): Join | null {
  const { doubtful } = clock;
  const isOn = (from: number) =>
    seconds - from >= -GAP_SECONDS_MIN && seconds - from <= CLOCK_JUMP_SECONDS_MIN;
  clock.doubtful = null;
  if (doubtful !== null && isOn(doubtful.seconds)) {
    clock.last = seconds;
    return doubtful;
  }
  if (isOn(clock.last)) clock.last = seconds;
  else clock.doubtful = { at, seconds };
  return null;
}

/** The first stream that jumps finds the join; the others, whose packets lie among its own, pass it. */
function pass(joins: Join[], clock: StreamClock, jump: Join): void {
  const known = joins.findIndex(
    ({ seconds }, index) =>
      index >= clock.passed && Math.abs(seconds - jump.seconds) <= CLOCK_JUMP_SECONDS_MIN,
  );
  if (known < 0) joins.push(jump);
  else joins[known] = { ...jump, at: Math.min(jump.at, joins[known]?.at ?? jump.at) };
  clock.passed = known < 0 ? joins.length : known + 1;
}

const TS_SYNC = 0x47;
const TS_LENGTHS = [188, 192, 204] as const;
/** A muxer's tables, and a receiver's stuffing, come right before the first packet. */
const TABLE_PACKETS_MAX = 64;

/** Steps back over packets of no stream: the tables that describe the streams behind them. */
function beforeTables(path: string, at: number, streamIds: ReadonlySet<number>): number {
  const from = Math.max(0, at - TABLE_PACKETS_MAX * 204);
  const bytes = readBytes(path, from, at - from + 1);
  const place = at - from;
  const length = TS_LENGTHS.find(
    (one) => bytes[place - one] === TS_SYNC && bytes[place - 2 * one] === TS_SYNC,
  );
  if (length === undefined) return at;
  let begin = place;
  while (begin - length >= 0 && bytes[begin - length] === TS_SYNC) {
    const id = bytes.readUInt16BE(begin - length + 1) & 0x1fff;
    if (streamIds.has(id)) break;
    begin -= length;
  }
  return from + begin;
}

/** A pack's head is 14 bytes, and a system header may follow. */
const PACK_BYTES_MAX = 2048;
const PACK = Buffer.from([0, 0, 1, 0xba]);

function beforePack(path: string, at: number): number {
  const from = Math.max(0, at - PACK_BYTES_MAX);
  const found = readBytes(path, from, at - from).lastIndexOf(PACK);
  return found < 0 ? at : from + found;
}

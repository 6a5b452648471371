/**
 * Writes a photograph as a PNG file in two thirds of the time of an encoder for all kinds of pictures, and smaller than that
 * one's quick levels do. Pictures that are flat or repeat themselves become larger than they could be.
 */
import type { Picture } from '../../media/picture.ts';
import { countSymbols, DeflateWriter, SYMBOL_BITS_MAX, SYMBOLS } from './deflate-writer.ts';
import { FilteredRows, ROW_FILTERS, RowChecksum, type RowFilter } from './filtered-rows.ts';
import {
  CHUNK_CHECK_BYTES,
  CHUNK_HEAD_BYTES,
  chunk,
  closeChunk,
  headerChunk,
  PNG_COLOURS,
  PNG_SIGNATURE,
} from './png-chunks.ts';

/** Rows that share a code and a filter: sky and ground get codes of their own, and a code's own bytes do not count. */
const BAND_ROWS = 180;
/** One row of so many is looked at for the code and the filter: an odd number, since patterns repeat after even ones. */
const SAMPLED_ROWS = 11;
/** Deflate in a window of 32 KiB, without a dictionary (RFC 1950). */
const ZLIB_HEAD = Buffer.of(0x78, 0x01);
const ZLIB_CHECK_BYTES = 4;
const BLOCK_BYTES_MAX = 400;

/** Eight bits a colour. The memory is the caller's own, to be given back. */
export function encodeFramePng(picture: Picture): Buffer {
  const { width, height, rgb } = picture;
  if (rgb.length !== width * height * 3) throw new RangeError(`${rgb.length} bytes for ${width} × ${height}`);
  const head = Buffer.concat([PNG_SIGNATURE, headerChunk(picture, PNG_COLOURS.rgb)]);
  const tail = chunk('IEND', new Uint8Array());
  const bytes = Buffer.allocUnsafeSlow(head.length + dataBytesMax(picture) + tail.length);
  bytes.set(head);
  const dataAt = head.length + CHUNK_HEAD_BYTES;
  bytes.set(ZLIB_HEAD, dataAt);
  const end = writeRows(picture, bytes, dataAt + ZLIB_HEAD.length);
  closeChunk(bytes, 'IDAT', { start: head.length, end });
  bytes.set(tail, end + CHUNK_CHECK_BYTES);
  // What was taken for the worst case goes back without a copy.
  return Buffer.from(bytes.buffer.transfer(end + CHUNK_CHECK_BYTES + tail.length));
}

function dataBytesMax({ width, height }: Picture): number {
  const rows = Math.ceil(((width * 3 + 1) * height * SYMBOL_BITS_MAX) / 8);
  const blocks = Math.ceil(height / BAND_ROWS) * BLOCK_BYTES_MAX;
  return CHUNK_HEAD_BYTES + ZLIB_HEAD.length + rows + blocks + ZLIB_CHECK_BYTES + CHUNK_CHECK_BYTES;
}

/** Returns where the data end, their checksum included. */
function writeRows(picture: Picture, bytes: Buffer, start: number): number {
  const { height } = picture;
  const rows = new FilteredRows(picture);
  const checksum = new RowChecksum();
  const writer = new DeflateWriter(bytes, start);
  for (let from = 0; from < height; from += BAND_ROWS) {
    const to = Math.min(height, from + BAND_ROWS);
    const { filter, counts } = chooseFilter(rows, from, to);
    writer.beginBlock(counts, { isLast: to === height });
    for (let row = from; row < to; row++) {
      rows.filter(row, filter);
      checksum.add(filter, rows);
      writeRow(writer, rows, filter);
    }
    writer.endBlock();
  }
  const end = writer.finish();
  bytes.writeUInt32BE(checksum.value, end);
  return end + ZLIB_CHECK_BYTES;
}

function writeRow(writer: DeflateWriter, { words, bytes }: FilteredRows, filter: RowFilter): void {
  const whole = bytes.length >> 2;
  writer.literal(filter);
  writer.words(words, whole);
  for (let at = whole * 4; at < bytes.length; at++) writer.literal(bytes[at] as number);
}

interface BandCode {
  filter: RowFilter;
  counts: Uint32Array;
}

function chooseFilter(rows: FilteredRows, from: number, to: number): BandCode {
  let best: BandCode & { bits: number } = {
    filter: ROW_FILTERS.up,
    counts: new Uint32Array(),
    bits: Number.POSITIVE_INFINITY,
  };
  for (const filter of Object.values(ROW_FILTERS)) {
    const counts = new Uint32Array(SYMBOLS);
    for (let row = Math.min(from + (SAMPLED_ROWS >> 1), to - 1); row < to; row += SAMPLED_ROWS) {
      rows.filter(row, filter);
      countSymbols(rows.words, counts);
    }
    const bits = entropyOf(counts);
    if (bits < best.bits) best = { filter, counts, bits };
  }
  return best;
}

/** Bits that the symbols take in the best code. */
function entropyOf(counts: Uint32Array): number {
  let [total, bits] = [0, 0];
  for (const count of counts) {
    if (count === 0) continue;
    total += count;
    bits -= count * Math.log2(count);
  }
  return bits + total * Math.log2(total);
}

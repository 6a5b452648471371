/** What every PNG file is made of (ISO/IEC 15948): its first bytes, and chunks with a check each. */
import { crc32 } from 'node:zlib';

export const PNG_SIGNATURE = Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
/** Length and type before a chunk's data. */
export const CHUNK_HEAD_BYTES = 8;
export const CHUNK_CHECK_BYTES = 4;
const BIT_DEPTH = 8;

export const PNG_COLOURS = { rgb: 2, indexed: 3 } as const;

export function headerChunk({ width, height }: { width: number; height: number }, colours: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = BIT_DEPTH;
  header[9] = colours;
  return chunk('IHDR', header);
}

export function chunk(type: string, data: Uint8Array): Buffer {
  const bytes = Buffer.alloc(CHUNK_HEAD_BYTES + data.length + CHUNK_CHECK_BYTES);
  bytes.set(data, CHUNK_HEAD_BYTES);
  closeChunk(bytes, type, { start: 0, end: CHUNK_HEAD_BYTES + data.length });
  return bytes;
}

/** Writes what stands around data that lies in its place already: the head at `start`, the check at `end`. */
export function closeChunk(
  bytes: Buffer,
  type: string,
  { start, end }: { start: number; end: number },
): void {
  bytes.writeUInt32BE(end - start - CHUNK_HEAD_BYTES, start);
  bytes.write(type, start + 4, 'latin1');
  bytes.writeUInt32BE(crc32(bytes.subarray(start + 4, end)), end);
}

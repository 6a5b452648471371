/** JPEG XL's sides by its header (ISO/IEC 18181-1, SizeHeader): the decoder takes any size as soon as it opens. */
import { open } from 'node:fs/promises';

const SAMPLE_BYTES = 64 * 1024;
const CONTAINER_MARK = '\0\0\0\x0cJXL ';
/** Width over height; 0: the width is stored. */
const RATIOS: readonly (readonly [number, number])[] = [
  [0, 0],
  [1, 1],
  [12, 10],
  [4, 3],
  [3, 2],
  [16, 9],
  [5, 4],
  [2, 1],
];
const SIDE_BITS = [9, 13, 18, 30] as const;

/** Null if no header is found in the first 64 KB. Stored sides; the orientation is not in this header. */
export async function readJxlSize(path: string): Promise<{ width: number; height: number } | null> {
  await using file = await open(path, 'r');
  const { buffer, bytesRead } = await file.read(Buffer.alloc(SAMPLE_BYTES), 0, SAMPLE_BYTES, 0);
  const start = findCodestream(buffer.subarray(0, bytesRead));
  return start === null ? null : parseSize(buffer.subarray(start, bytesRead));
}

function findCodestream(bytes: Buffer): number | null {
  const text = bytes.toString('latin1');
  if (!text.startsWith(CONTAINER_MARK)) return text.startsWith('\xff\x0a') ? 2 : null;
  for (let at = 0; at + 16 <= bytes.length; ) {
    const size = bytes.readUInt32BE(at);
    const type = text.slice(at + 4, at + 8);
    const headerBytes = size === 1 ? 16 : 8;
    // A part (`jxlp`) begins with its number.
    const body = at + headerBytes + (type === 'jxlp' ? 4 : 0);
    if (type === 'jxlc' || type === 'jxlp') return text.startsWith('\xff\x0a', body) ? body + 2 : null;
    const step = size === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : size;
    if (step < 8) return null;
    at += step;
  }
  return null;
}

function parseSize(bytes: Buffer): { width: number; height: number } {
  let position = 0;
  const take = (count: number): number => {
    let value = 0;
    for (let bit = 0; bit < count; bit++, position++)
      value += (((bytes[position >> 3] ?? 0) >> (position & 7)) & 1) * 2 ** bit;
    return value;
  };
  const isSmall = take(1) === 1;
  const takeSide = () => (isSmall ? (take(5) + 1) * 8 : take(SIDE_BITS[take(2)] ?? 9) + 1);
  const height = takeSide();
  const [over, under] = RATIOS[take(3)] ?? [0, 0];
  return { height, width: over === 0 ? takeSide() : Math.floor((height * over) / under) };
}

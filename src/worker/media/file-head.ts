/** Reads bytes of a file, and finds its own first byte behind tags and empty boxes. */
import { closeSync, openSync, readSync } from 'node:fs';
import { HEAD_BYTES, leadingBytes, sniffMediaType } from '../../domain/media/sniff.ts';

/** Bound on skipped tags and boxes, since a chain of empty ones has no end. */
const STEPS_MAX = 8;

/** Synchronous: a child has nothing else to do, and three turns of other threads cost more than the reading. */
export function readBytes(path: string, at: number, count: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(count);
    return bytes.subarray(0, readSync(file, bytes, 0, count, at));
  } finally {
    closeSync(file);
  }
}

/** Skips leading tags and boxes without meaning. */
export function ownBeginning(path: string): number {
  let at = 0;
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const here = readBytes(path, at, HEAD_BYTES);
    const skipped = step > 0 && sniffMediaType(here) !== undefined ? 0 : leadingBytes(here);
    if (skipped === 0 || !Number.isSafeInteger(at + skipped)) break;
    at += skipped;
  }
  return at;
}

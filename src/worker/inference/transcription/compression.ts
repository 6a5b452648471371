/** How much a text repeats itself: what says the same again and again shrinks far more than speech does. Pure. */
import { deflateRawSync } from 'node:zlib';

/**
 * Letters to bytes of the compressed text, a byte a letter. In UTF-8 a letter of Hindi is three bytes, two of them nearly always
 * the same: plain Hindi shrinks to a third, and all of it would be taken for a text that repeats itself.
 */
export function compressionOf(text: string): number {
  const letters = Uint8Array.from(text, (letter) => (letter.codePointAt(0) ?? 0) % 256);
  return letters.length === 0 ? 0 : letters.length / deflateRawSync(letters).length;
}

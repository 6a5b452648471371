/** The SHA-256 and the size of a file that was written here, read once in pieces. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

export async function hashFile(path: string): Promise<{ hash: string; sizeBytes: number }> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const piece of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    hash.update(piece);
    sizeBytes += piece.length;
  }
  return { hash: hash.digest('hex'), sizeBytes };
}

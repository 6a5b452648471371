/** SHA-256 of a file, streamed: a model may be larger than what the daemon should hold. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** With the stream's own 64 KiB most of the time goes into the stream. */
const CHUNK_BYTES = 1024 ** 2;

export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) hash.update(chunk);
  return hash.digest('hex');
}

/** Files of any size that are a legal video: a short film, and behind it a box that players skip. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { FF_ENCODER_MPEG4 } from 'node-av/constants';
import { makeVideo } from './make-media.ts';

export interface BigFile {
  path: string;
  sizeBytes: number;
  sha256: string;
}

const SIZE_BYTES = 16;
let film: Buffer | undefined;

/** Sparse on the disk: the box is a hole with `stamp` at its end, which makes the hash a new one. */
export async function writeBigVideo(path: string, sizeBytes: number, stamp: string): Promise<BigFile> {
  film ??= makeVideo({
    ...{ container: 'mp4', codec: FF_ENCODER_MPEG4, seconds: 1, width: 426, height: 240, fps: 5 },
  });
  const head = Buffer.alloc(SIZE_BYTES);
  // A size of 1 says that the real one follows, in 64 bits.
  head.writeUInt32BE(1, 0);
  head.write('free', 4, 'latin1');
  head.writeBigUInt64BE(BigInt(sizeBytes - film.length), 8);
  await using file = await open(path, 'w');
  await file.write(film, 0, film.length, 0);
  await file.write(head, 0, head.length, film.length);
  const end = Buffer.from(stamp);
  await file.write(end, 0, end.length, sizeBytes - end.length);
  return { path, sizeBytes, sha256: await hashFile(path) };
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path, { highWaterMark: 1024 ** 2 })) hash.update(bytes);
  return hash.digest('hex');
}

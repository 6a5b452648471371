/** A gigabyte that is a legal video, made as it is sent: what is measured must not wait for a disk to be read. */
import { FF_ENCODER_MPEG4 } from 'node-av/constants';
import { makeVideo } from '../test/media/make-media.ts';

export const CHUNK_BYTES = 256 * 1024;
const BOX_HEAD_BYTES = 16;

export interface BigMedia {
  sizeBytes: number;
  /** Every chunk but the last has `CHUNK_BYTES`. */
  chunks(): Generator<Buffer>;
}

/** A short film and behind it a box that players skip; `stamp` makes it a new file. */
export function makeBigMedia(sizeBytes: number, stamp: string): BigMedia {
  const film = makeVideo({
    ...{ container: 'mp4', codec: FF_ENCODER_MPEG4, seconds: 1, width: 426, height: 240, fps: 5 },
  });
  const head = Buffer.alloc(BOX_HEAD_BYTES);
  // A size of 1 says that the real one follows, in 64 bits.
  head.writeUInt32BE(1, 0);
  head.write('free', 4, 'latin1');
  head.writeBigUInt64BE(BigInt(sizeBytes - film.length), 8);
  const begin = Buffer.concat([film, head, Buffer.from(stamp)]);
  const chunk = Buffer.alloc(CHUNK_BYTES, 0x5a);
  return {
    sizeBytes,
    *chunks() {
      for (let sent = 0; sent < sizeBytes; sent += CHUNK_BYTES) {
        const piece = chunk.subarray(0, Math.min(CHUNK_BYTES, sizeBytes - sent));
        yield sent >= begin.length
          ? piece
          : Buffer.concat([begin.subarray(sent), piece]).subarray(0, piece.length);
      }
    },
  };
}

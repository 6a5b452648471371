/** Keeps room on the disk for copies that decoders get, so that they never take what must stay free. */
import { statfs } from 'node:fs/promises';
import { AppError } from '../../domain/errors.ts';

const DISK_RETRY_SECONDS = 60;

export class CopyRoom {
  readonly #diskFreeBytesMin: number;
  /** Bytes of running copies, which still look free until they are written. */
  #takenBytes = 0;

  constructor(diskFreeBytesMin: number) {
    this.#diskFreeBytesMin = diskFreeBytesMin;
  }

  /** Reserves the bytes until the result is disposed. Throws AppError `disk_full`. */
  async take(folder: string, bytes: number): Promise<Disposable> {
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize - this.#takenBytes - bytes >= this.#diskFreeBytesMin) {
      this.#takenBytes += bytes;
      return {
        [Symbol.dispose]: () => {
          this.#takenBytes -= bytes;
        },
      };
    }
    throw new AppError(
      'disk_full',
      'the disk is nearly full: no file is copied for its decoder until space is free',
      {
        retryAfterSeconds: DISK_RETRY_SECONDS,
      },
    );
  }
}

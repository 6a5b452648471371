/** Small reads anywhere in a file, few of which reach the disk. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Heads of a file's parts are small and often near each other. */
const WINDOW_BYTES = 4096;

export class FileWindow implements Disposable {
  readonly sizeBytes: number;
  readonly #file: number;
  #window: Buffer = Buffer.alloc(0);
  #at = 0;

  constructor(path: string) {
    this.#file = openSync(path, 'r');
    this.sizeBytes = fstatSync(this.#file).size;
  }

  /** Null if the file ends before. `length` is at most WINDOW_BYTES. */
  read(at: number, length: number): Buffer | null {
    if (at + length > this.sizeBytes) return null;
    if (at < this.#at || at + length > this.#at + this.#window.length) {
      this.#window = this.readWhole(at, WINDOW_BYTES);
      this.#at = at;
    }
    const from = at - this.#at;
    return from + length > this.#window.length ? null : this.#window.subarray(from, from + length);
  }

  /** Reads fewer bytes if the file ends before. */
  readWhole(at: number, length: number): Buffer {
    const bytes = Buffer.alloc(Math.min(length, Math.max(0, this.sizeBytes - at)));
    return bytes.subarray(0, readSync(this.#file, bytes, 0, bytes.length, at));
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}

/**
 * A file of patches as a decode child left it. Nothing in it can be malformed but its length, which is checked;
 * a link is not followed, so a broken decode child cannot point at another file of the box.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** Waiting on a pipe somebody put there would stop every analysis, hence the last flag. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** More patches than any layout may place. */
const COUNT_MAX = 65_536;

export class PatchFile implements Disposable {
  readonly #descriptor: number;
  readonly #patchBytes: number;

  private constructor(descriptor: number, patchBytes: number) {
    this.#descriptor = descriptor;
    this.#patchBytes = patchBytes;
  }

  /** Throws unless the file holds exactly `count` patches of `size` × `size` RGB bytes. */
  static open(path: string, count: number, size: number): PatchFile {
    if (!Number.isInteger(count) || count < 1 || count > COUNT_MAX) {
      throw new Error(`a request must have 1 to ${COUNT_MAX} patches, not ${count}`);
    }
    const descriptor = openSync(path, OPEN_FLAGS);
    const patchBytes = size * size * 3;
    const stat = fstatSync(descriptor);
    if (!stat.isFile() || stat.size !== count * patchBytes) {
      closeSync(descriptor);
      throw new Error(`the patch file has ${stat.size} bytes; ${count} patches have ${count * patchBytes}`);
    }
    return new PatchFile(descriptor, patchBytes);
  }

  /** Reads synchronously: the next step blocks the process far longer than a read from the page cache. */
  read(first: number, count: number, into: Uint8Array): Uint8Array {
    const length = count * this.#patchBytes;
    const bytesRead = readSync(this.#descriptor, into, 0, length, first * this.#patchBytes);
    if (bytesRead !== length) throw new Error('the patch file became shorter while it was read');
    return into.subarray(0, length);
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor);
  }
}

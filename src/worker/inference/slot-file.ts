/**
 * A file of bytes as a decode child left it. Nothing in it can be malformed but its length, which is checked; a
 * link is not followed, so a broken decode child cannot point at another file of the box.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** Waiting on a pipe somebody put there would stop every analysis, hence the last flag. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export class SlotFile implements Disposable {
  readonly #descriptor: number;

  private constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  /** Throws unless it is a plain file of exactly so many bytes; `what` names it and its content for the error. */
  static open(path: string, sizeBytes: number, what: { file: string; content: string }): SlotFile {
    const descriptor = openSync(path, OPEN_FLAGS);
    const stat = fstatSync(descriptor);
    if (!stat.isFile() || stat.size !== sizeBytes) {
      closeSync(descriptor);
      throw new Error(`the ${what.file} has ${stat.size} bytes; ${what.content} have ${sizeBytes}`);
    }
    return new SlotFile(descriptor);
  }

  /** Reads synchronously: the next step blocks the process far longer than a read from the page cache. */
  read(position: number, into: Uint8Array): void {
    const bytesRead = readSync(this.#descriptor, into, 0, into.length, position);
    if (bytesRead !== into.length) throw new Error('the file became shorter while it was read');
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor);
  }
}

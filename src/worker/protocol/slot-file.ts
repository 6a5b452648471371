/** A file that a decode child left: opened once, following no link and waiting for no pipe, since it may be hostile. */
import { closeSync, constants, fstatSync, openSync, read, readSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { promisify } from 'node:util';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY, O_DIRECTORY } = constants;
const CHUNK_BYTES = 256 * 1024;
const readAt = promisify(read);

export interface SlotFileBounds {
  bytesMax: number;
  /** Makes the error that a fault of the file is thrown as. */
  fault?: (message: string) => Error;
}

export class SlotFile implements Disposable {
  readonly sizeBytes: number;
  readonly #name: string;
  readonly #descriptor: number;
  readonly #fault: (message: string) => Error;

  private constructor(path: string, descriptor: number, { bytesMax, fault }: Required<SlotFileBounds>) {
    this.#name = basename(path);
    this.#descriptor = descriptor;
    this.#fault = fault;
    const stat = fstatSync(descriptor);
    // A file with a second name may not be the child's.
    if (!stat.isFile() || stat.nlink !== 1) throw fault(`${this.#name} is no plain file of one name`);
    if (stat.size > bytesMax)
      throw fault(`${this.#name} has ${stat.size} bytes, more than ${bytesMax} are not read`);
    this.sizeBytes = stat.size;
  }

  /** The caller guards the path's folder: it is held open, or no child can exchange it. Throws what `fault` makes. */
  static openIn(
    path: string,
    { bytesMax, fault = (message) => new Error(message) }: SlotFileBounds,
  ): SlotFile {
    let descriptor: number;
    try {
      descriptor = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    } catch (error) {
      throw fault(`${basename(path)} cannot be opened as a file: ${String(error)}`);
    }
    try {
      return new SlotFile(path, descriptor, { bytesMax, fault });
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  }

  /** Throws unless it is a plain file of exactly so many bytes; `what` names it and its content for the error. */
  static openWhole(path: string, sizeBytes: number, what: { file: string; content: string }): SlotFile {
    const folder = openSync(dirname(path), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    try {
      const within = `/proc/self/fd/${folder}/${basename(path)}`;
      const file = SlotFile.openIn(within, { bytesMax: Number.POSITIVE_INFINITY });
      if (file.sizeBytes === sizeBytes) return file;
      file[Symbol.dispose]();
      throw new Error(`the ${what.file} has ${file.sizeBytes} bytes; ${what.content} have ${sizeBytes}`);
    } finally {
      closeSync(folder);
    }
  }

  /** Synchronous: the next step blocks the process far longer than a read from the page cache. */
  read(position: number, into: Uint8Array): void {
    const bytesRead = readSync(this.#descriptor, into, 0, into.length, position);
    if (bytesRead !== into.length) throw this.#changed();
  }

  /** From the beginning, as often as needed; never more than it had when it was opened, however it grows. */
  async *chunks(): AsyncGenerator<Uint8Array, undefined, undefined> {
    for (let at = 0; at < this.sizeBytes; ) {
      const chunk = new Uint8Array(Math.min(CHUNK_BYTES, this.sizeBytes - at));
      const { bytesRead } = await readAt(this.#descriptor, chunk, 0, chunk.length, at);
      if (bytesRead === 0) throw this.#changed();
      at += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
    if (fstatSync(this.#descriptor).size !== this.sizeBytes) throw this.#changed();
  }

  #changed(): Error {
    return this.#fault(`${this.#name} changed while it was read`);
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor);
  }
}

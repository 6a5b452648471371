/** Postings word by word, in memory or in a nameless file: paged out by the system, and gone with the process. */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const POSTING_BYTES = Uint32Array.BYTES_PER_ELEMENT;

export interface Postings {
  readonly count: number;
  /** Bytes of the process's own memory. */
  readonly bytes: number;
  readonly fileBytes: number;
  /** Where `load` puts the postings that were asked for last. */
  readonly array: Uint32Array;
  /** Returns where in `array` the postings from `start` to `end` begin. */
  load(start: number, end: number): number;
  /** After `retire` the postings can be read until `release` was called as often as this. */
  hold(): void;
  release(): void;
  /** `hold` will not be called again. */
  retire(): void;
}

/** Takes postings in their order. */
export interface PostingsSink {
  write(postings: Uint32Array): void;
  finish(): Postings;
  /** Drops what was written. */
  discard(): void;
}

export function heldPostings(array: Uint32Array): Postings {
  const nothing = () => undefined;
  return {
    count: array.length,
    bytes: array.byteLength,
    fileBytes: 0,
    array,
    load: (start) => start,
    hold: nothing,
    release: nothing,
    retire: nothing,
  };
}

export function memorySink(count: number): PostingsSink {
  const array = new Uint32Array(count);
  let at = 0;
  return {
    write: (postings) => {
      array.set(postings, at);
      at += postings.length;
    },
    finish: () => heldPostings(array),
    discard: () => undefined,
  };
}

/** Throws the file system's faults, such as a full disk. */
export function fileSink(folder: string): PostingsSink {
  const path = join(folder, `${randomBytes(16).toString('hex')}.postings`);
  const file = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  let written = 0;
  return {
    write: (postings) => {
      const bytes = bytesOf(postings);
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, written + at);
      written += bytes.length;
    },
    finish: () => new FilePostings(file, written / POSTING_BYTES),
    discard: () => closeSync(file),
  };
}

class FilePostings implements Postings {
  readonly count: number;
  readonly #file: number;
  #scratch = new Uint32Array(4096);
  #users = 0;
  #isRetired = false;

  constructor(file: number, count: number) {
    this.#file = file;
    this.count = count;
  }

  get bytes(): number {
    return this.#scratch.byteLength;
  }

  get fileBytes(): number {
    return this.count * POSTING_BYTES;
  }

  get array(): Uint32Array {
    return this.#scratch;
  }

  load(start: number, end: number): number {
    if (end - start > this.#scratch.length) this.#scratch = new Uint32Array(2 * (end - start));
    const bytes = bytesOf(this.#scratch.subarray(0, end - start));
    for (let at = 0; at < bytes.length; ) {
      const read = readSync(this.#file, bytes, at, bytes.length - at, start * POSTING_BYTES + at);
      if (read === 0) throw new Error('the file of the picture index ends too early');
      at += read;
    }
    return 0;
  }

  hold(): void {
    this.#users += 1;
  }

  release(): void {
    this.#users -= 1;
    this.#closeUnused();
  }

  retire(): void {
    this.#isRetired = true;
    this.#closeUnused();
  }

  #closeUnused(): void {
    if (this.#isRetired && this.#users === 0) closeSync(this.#file);
  }
}

function bytesOf(postings: Uint32Array): Uint8Array {
  return new Uint8Array(postings.buffer, postings.byteOffset, postings.byteLength);
}

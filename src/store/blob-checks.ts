/** Whether stored originals are the submitted bytes: judging hashes them; size, time and inode show touches in between. */
import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { open } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import { AppError } from '../domain/errors.ts';

/** A stored original that is not what was submitted: it is neither judged nor served. */
export class ChangedOriginalError extends AppError {
  constructor() {
    const remedy = 'submit it again, or have an administrator restore it from a backup';
    super('damaged', `the stored file is no longer the one that was submitted; ${remedy}`);
  }
}

export interface ReadOptions {
  /** Where the bytes lie if not at the original's place, as for a copy. */
  path?: string;
  signal?: AbortSignal | undefined;
}

/** Some hundred bytes each; a file that fell out is hashed once more. */
const KNOWN_MAX = 10_000;
/** Small enough to be hashed in a moment of the event loop. */
const PIECE_BYTES = 256 * 1024;

export class BlobChecks {
  readonly #pathOf: (hash: string) => string;
  readonly #onChanged: (hash: string) => void;
  /** Fingerprints of the files that were whole at their last check. */
  readonly #whole = new LRUCache<string, string>({ max: KNOWN_MAX });
  readonly #changed = new LRUCache<string, string>({ max: KNOWN_MAX });
  readonly #running = new Map<string, Promise<void>>();

  /** `onChanged` is called once with each file that is not what was submitted. */
  constructor(pathOf: (hash: string) => string, onChanged: (hash: string) => void) {
    this.#pathOf = pathOf;
    this.#onChanged = onChanged;
  }

  isKnownChanged(hash: string): boolean {
    return this.#changed.has(hash);
  }

  /** Called for a file that was hashed while it was written. */
  noteWhole(hash: string, stats: BigIntStats): void {
    this.#changed.delete(hash);
    this.#whole.set(hash, fingerprintOf(stats));
  }

  forget(hash: string): void {
    this.#changed.delete(hash);
    this.#whole.delete(hash);
  }

  /** All bytes of the file; the last of them only once the hash matches. Throws ChangedOriginalError if it does not. */
  async *read(hash: string, { path = this.#pathOf(hash), signal }: ReadOptions = {}): AsyncGenerator<Buffer> {
    await using file = await open(path);
    const stats = await file.stat({ bigint: true });
    if (this.#changed.get(hash) === fingerprintOf(stats)) throw new ChangedOriginalError();
    const found = createHash('sha256');
    // Not given the signal: a stream that is aborted after its end raises an error that nothing catches.
    const stream = file.createReadStream({ highWaterMark: PIECE_BYTES, autoClose: false });
    let held: Buffer | undefined;
    for await (const piece of stream as AsyncIterable<Buffer>) {
      signal?.throwIfAborted();
      found.update(piece);
      if (held !== undefined) yield held;
      held = piece;
    }
    if (found.digest('hex') !== hash) throw this.#noteChanged(hash, stats);
    this.noteWhole(hash, stats);
    if (held !== undefined) yield held;
  }

  /** Hashes the file unless no one touched it since the last check. Concurrent callers share one hashing. */
  async check(hash: string): Promise<void> {
    await using file = await open(this.#pathOf(hash));
    const fingerprint = fingerprintOf(await file.stat({ bigint: true }));
    if (this.#whole.get(hash) === fingerprint) return;
    const running = this.#running.get(hash) ?? this.#readThrough(hash);
    this.#running.set(hash, running);
    await running;
  }

  async #readThrough(hash: string): Promise<void> {
    try {
      for await (const _ of this.read(hash));
    } finally {
      this.#running.delete(hash);
    }
  }

  #noteChanged(hash: string, stats: BigIntStats): ChangedOriginalError {
    const isNews = !this.#changed.has(hash);
    this.#whole.delete(hash);
    this.#changed.set(hash, fingerprintOf(stats));
    if (isNews) this.#onChanged(hash);
    return new ChangedOriginalError();
  }
}

/** Changes once anything is written to the file, or another file takes its place. */
function fingerprintOf({ size, mtimeNs, dev, ino }: BigIntStats): string {
  return `${size} ${mtimeNs} ${dev} ${ino}`;
}

/**
 * One file as it is received: hashed and counted as it comes, written in large pieces while the next one gathers.
 * Memory is two pieces whatever the size, smaller ones if many files come at once; the disk is kept up with all along,
 * so that the last flush is short.
 */
import type { Hash } from 'node:crypto';
import { type FileHandle, statfs } from 'node:fs/promises';
import { codeOf } from '../domain/error-code.ts';
import { HEAD_BYTES } from '../domain/media/sniff.ts';
import { noteSpent } from '../machinery/spent-chunks.ts';

const MIB = 1024 ** 2;
/** One write per network chunk costs a trip to the thread pool and back for each. */
const PIECE_BYTES_MAX = MIB;
/** One network chunk: less would be written chunk by chunk. */
const PIECE_BYTES_MIN = 64 * 1024;
/** What the pieces of all files together may take, as long as none is smaller than the least. */
const PIECES_BYTES_MAX = 64 * MIB;
/** A sender of single bytes must not pile up a million buffers, each holding on to what it was read with. */
const PIECE_CHUNKS_MAX = 64;
/** How often the free space is looked at, by what all files together have brought. */
const GUARD_BYTES = 16 * MIB;
/** What may lie unflushed: a crash costs a resumable upload this much, and the last flush takes no longer than it. */
const FLUSH_BYTES_MAX = 32 * MIB;
/** A small file may have less unflushed, or all of it would be flushed after its last byte, while its sender waits. */
const FLUSH_BYTES_MIN = 4 * MIB;
/** A part of what is there so far: a large file is flushed no more often than with the bound above alone. */
const FLUSH_SHARE = 1 / 4;
/** Beyond it the sender waits for the flush. */
const UNFLUSHED_BYTES_MAX = 2 * FLUSH_BYTES_MAX;

/** The bytes went past the bound. */
export class BlobTooLargeError extends Error {
  override readonly name = 'BlobTooLargeError';
  readonly readBytes: number;

  constructor(readBytes: number, bytesMax: number) {
    super(`more than ${bytesMax} bytes`);
    this.readBytes = readBytes;
  }
}

/** What is left on the disk went below the bound while bytes came in. */
export class DiskFullError extends Error {
  override readonly name = 'DiskFullError';
}

/** Whether the disk, or this account's share of it, is what failed. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof DiskFullError || ['ENOSPC', 'EDQUOT'].includes(codeOf(error));
}

export interface ReceiveBounds {
  bytesMax: number;
  /** Bytes that must stay free on the file's disk; 0 unless given. */
  freeBytesMin?: number;
  /** Waited for before each flush, and disposed after it; no wait unless given. */
  enterFlush?: () => Promise<Disposable>;
}

/** Files that are being received. */
let openWriters = 0;
/** Written by all of them since the free space was looked at. */
let unguardedBytes = 0;

/** Each file has two of them in memory: one that gathers, one that is written. */
function pieceBytes(): number {
  const share = PIECES_BYTES_MAX / (2 * Math.max(1, openWriters));
  return Math.min(PIECE_BYTES_MAX, Math.max(PIECE_BYTES_MIN, share));
}

/** How much of a file may lie unflushed if so much of it is written. */
function flushBytes(writtenBytes: number): number {
  return Math.min(FLUSH_BYTES_MAX, Math.max(FLUSH_BYTES_MIN, writtenBytes * FLUSH_SHARE));
}

const NO_WAIT: Disposable = { [Symbol.dispose]() {} };

export interface WriterStart {
  /** Has taken in the first `sizeBytes` of the file. */
  hash: Hash;
  sizeBytes: number;
  /** Called after each flush with how much is safe from a loss of power. */
  onFlushed?: (bytes: number) => Promise<void>;
}

/** Disposed of before its file is closed or removed: a flush under way would note a file that is gone. */
export class MediaWriter implements AsyncDisposable {
  readonly #file: FileHandle;
  readonly #path: string;
  readonly #start: WriterStart;
  readonly #bounds: Required<ReceiveBounds>;
  #chunks: Uint8Array[] = [];
  #chunksBytes = 0;
  #head: Uint8Array = new Uint8Array();
  #takenBytes: number;
  #writtenBytes: number;
  #flushedBytes: number;
  #writing: Promise<void> = Promise.resolve();
  #flushing: Promise<void> | null = null;

  /** Appends to the file, which must have exactly the bytes that `start` says. */
  constructor(file: FileHandle, path: string, start: WriterStart, bounds: ReceiveBounds) {
    this.#file = file;
    this.#path = path;
    this.#start = start;
    this.#bounds = { freeBytesMin: 0, enterFlush: async () => NO_WAIT, ...bounds };
    this.#takenBytes = start.sizeBytes;
    this.#writtenBytes = start.sizeBytes;
    this.#flushedBytes = start.sizeBytes;
  }

  /** Bytes of the whole file so far, on their way to the disk included. */
  get sizeBytes(): number {
    return this.#takenBytes;
  }

  /** The first bytes that this writer was given, enough to recognise a type. */
  get head(): Uint8Array {
    return this.#head;
  }

  /** Bytes that are safe. */
  get flushedBytes(): number {
    return this.#flushedBytes;
  }

  /** Ends with the source. What was taken is written and flushed by `write` and `flush`, also if it threw. */
  async receive(bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
    openWriters += 1;
    try {
      for await (const chunk of bytes) {
        signal.throwIfAborted();
        this.#take(chunk);
        if (this.#chunksBytes >= pieceBytes() || this.#chunks.length >= PIECE_CHUNKS_MAX) await this.#next();
      }
    } finally {
      openWriters -= 1;
    }
    signal.throwIfAborted();
  }

  /** All that was taken can be read from the file. */
  async write(): Promise<void> {
    await this.#next();
    await this.#writing;
  }

  /** All that was taken is on the disk. */
  async flush(): Promise<void> {
    await this.write();
    await this.#flushing;
    if (this.#flushedBytes < this.#writtenBytes) this.#beginFlush();
    await this.#flushing;
  }

  /** Nothing is under way any more. Never rejects. */
  async [Symbol.asyncDispose](): Promise<void> {
    // In turn, since a write that ends may begin a flush.
    await Promise.allSettled([this.#writing]);
    await Promise.allSettled([this.#flushing]);
  }

  #take(chunk: Uint8Array): void {
    const takenBytes = this.#takenBytes + chunk.byteLength;
    if (takenBytes > this.#bounds.bytesMax) throw new BlobTooLargeError(takenBytes, this.#bounds.bytesMax);
    this.#takenBytes = takenBytes;
    this.#start.hash.update(chunk);
    const missingBytes = HEAD_BYTES - this.#head.byteLength;
    if (missingBytes > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, missingBytes)]);
    this.#chunks.push(chunk);
    this.#chunksBytes += chunk.byteLength;
  }

  /** Waits for the piece before, then hands over this one. A slow disk slows the sender down here. */
  async #next(): Promise<void> {
    await this.#writing;
    // Flushes take turns: a file whose turn is far off must not run further ahead of the disk.
    if (this.#writtenBytes - this.#flushedBytes >= UNFLUSHED_BYTES_MAX) await this.#flushing;
    if (this.#chunksBytes === 0) return;
    const chunks = this.#chunks;
    const bytes = this.#chunksBytes;
    this.#chunks = [];
    this.#chunksBytes = 0;
    this.#writing = this.#write(chunks, bytes);
    // Met at the next piece or at the end.
    this.#writing.catch(() => undefined);
  }

  async #write(chunks: Uint8Array[], bytes: number): Promise<void> {
    await writeAll(this.#file, chunks, bytes, this.#writtenBytes);
    this.#writtenBytes += bytes;
    noteSpent(bytes);
    unguardedBytes += bytes;
    if (unguardedBytes >= GUARD_BYTES) await this.#guard();
    const dueBytes = flushBytes(this.#writtenBytes);
    if (this.#writtenBytes - this.#flushedBytes >= dueBytes && this.#flushing === null) this.#beginFlush();
  }

  async #guard(): Promise<void> {
    unguardedBytes = 0;
    const { bavail, bsize } = await statfs(this.#path);
    if (bavail * bsize < this.#bounds.freeBytesMin) throw new DiskFullError('the disk is nearly full');
  }

  /** Beside the writing; a fault of it is met at the end. */
  #beginFlush(): void {
    const flushing = this.#flush();
    this.#flushing = flushing;
    flushing.then(
      () => {
        this.#flushing = null;
      },
      () => undefined,
    );
  }

  async #flush(): Promise<void> {
    using _turn = await this.#bounds.enterFlush();
    const writtenBytes = this.#writtenBytes;
    await this.#file.datasync();
    await this.#start.onFlushed?.(writtenBytes);
    this.#flushedBytes = writtenBytes;
  }
}

async function writeAll(
  file: FileHandle,
  chunks: Uint8Array[],
  bytes: number,
  position: number,
): Promise<void> {
  const { bytesWritten } = await file.writev(chunks, position);
  if (bytesWritten === bytes) return;
  // A disk that runs full takes a part before it refuses the rest.
  if (bytesWritten === 0) throw new DiskFullError('the disk took nothing');
  const rest = Buffer.concat(chunks).subarray(bytesWritten);
  await writeAll(file, [rest], rest.length, position + bytesWritten);
}

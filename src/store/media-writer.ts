/** Receives and hashes one file, writing large pieces, smaller ones among many; it flushes all along, so the end is short. */
import type { Hash } from 'node:crypto';
import { type FileHandle, statfs } from 'node:fs/promises';
import { codeOf } from '../domain/error-code.ts';
import { HEAD_BYTES } from '../domain/media/sniff.ts';
import { noteSpent } from '../machinery/spent-chunks.ts';

const MIB = 1024 ** 2;
/** A write for each network chunk would cost a trip to the thread pool each. */
const PIECE_BYTES_MAX = MIB;
/** One network chunk: less would be written chunk by chunk. */
const PIECE_BYTES_MIN = 64 * 1024;
/** Bound of the pieces of all files together, while none is smaller than the minimum. */
const PIECES_BYTES_MAX = 64 * MIB;
/** A sender of single bytes must not pile up a million buffers, each of which holds what it was read with. */
const PIECE_CHUNKS_MAX = 64;
/** The free space is checked after so many bytes of all files together. */
const GUARD_BYTES = 16 * MIB;
/** Bytes that may lie unflushed: a crash costs a resumable upload at most these, and the last flush is no longer. */
const FLUSH_BYTES_MAX = 32 * MIB;
/** A small file may have less unflushed, or all of it would be flushed after its last byte, while its sender waits. */
const FLUSH_BYTES_MIN = 4 * MIB;
/** A share of the bytes so far: a large file is flushed no more often than with the bound above alone. */
const FLUSH_SHARE = 1 / 4;
/** Beyond this the sender waits for the flush. */
const UNFLUSHED_BYTES_MAX = 2 * FLUSH_BYTES_MAX;

export class BlobTooLargeError extends Error {
  override readonly name = 'BlobTooLargeError';
  readonly readBytes: number;

  constructor(readBytes: number, bytesMax: number) {
    super(`more than ${bytesMax} bytes`);
    this.readBytes = readBytes;
  }
}

export class DiskFullError extends Error {
  override readonly name = 'DiskFullError';
}

/** Whether a full disk, or a full quota of this account, caused the error. */
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

/** Files that are being received now. */
let openWriters = 0;
/** Bytes that all of them wrote since the free space was checked. */
let unguardedBytes = 0;

/** Each file has two pieces in memory: one that gathers, one that is written. */
function pieceBytes(): number {
  const share = PIECES_BYTES_MAX / (2 * Math.max(1, openWriters));
  return Math.min(PIECE_BYTES_MAX, Math.max(PIECE_BYTES_MIN, share));
}

function flushBytes(writtenBytes: number): number {
  return Math.min(FLUSH_BYTES_MAX, Math.max(FLUSH_BYTES_MIN, writtenBytes * FLUSH_SHARE));
}

const NO_WAIT: Disposable = { [Symbol.dispose]() {} };

export interface WriterStart {
  /** The hash of the first `sizeBytes` of the file. */
  hash: Hash;
  sizeBytes: number;
  /** Called after each flush with the number of safe bytes. */
  onFlushed?: (bytes: number) => Promise<void>;
}

/** Dispose of it before its file is closed or removed: a flush under way would note a file that is gone. */
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

  /** Appends to the file, which must have exactly the bytes that `start` counts. */
  constructor(file: FileHandle, path: string, start: WriterStart, bounds: ReceiveBounds) {
    this.#file = file;
    this.#path = path;
    this.#start = start;
    this.#bounds = { freeBytesMin: 0, enterFlush: async () => NO_WAIT, ...bounds };
    this.#takenBytes = start.sizeBytes;
    this.#writtenBytes = start.sizeBytes;
    this.#flushedBytes = start.sizeBytes;
  }

  /** Bytes of the whole file so far, also those on their way to the disk. */
  get sizeBytes(): number {
    return this.#takenBytes;
  }

  /** The first bytes that this writer got, enough to recognise a type. */
  get head(): Uint8Array {
    return this.#head;
  }

  /** Ends with the source. `write` and `flush` finish what was taken, also after a throw. */
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

  /** Resolves when all that was taken can be read from the file. */
  async write(): Promise<void> {
    await this.#next();
    await this.#writing;
  }

  /** Resolves when all that was taken is on the disk. */
  async flush(): Promise<void> {
    await this.write();
    await this.#flushing;
    if (this.#flushedBytes < this.#writtenBytes) this.#beginFlush();
    await this.#flushing;
  }

  /** Resolves when no write is under way. Never rejects. */
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
    // Its fault is met at the next piece or at the end.
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

  /** Runs beside the writing; its fault is met at the end. */
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
  // A full disk takes a part before it refuses the rest.
  if (bytesWritten === 0) throw new DiskFullError('the disk took nothing');
  const rest = Buffer.concat(chunks).subarray(bytesWritten);
  await writeAll(file, [rest], rest.length, position + bytesWritten);
}

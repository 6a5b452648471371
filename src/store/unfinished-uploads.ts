/**
 * Uploads that may be continued: a file per upload with what came so far, and beside it a small file that says whose
 * it is and how much of it is safe. They outlive the connection and the daemon; blobs.ts has those that do not.
 */
import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HEAD_BYTES } from '../domain/media/sniff.ts';
import { fingerprintOf } from './blob-checks.ts';
import type { TemporaryBlob } from './blobs.ts';
import { MediaWriter, type ReceiveBounds } from './media-writer.ts';
import { parseUnfinishedUpload, type UnfinishedUpload } from './unfinished-upload.ts';

/** Ends a stream whose upload is asked for or continued by another one: its connection is most likely dead. */
export class UploadSupersededError extends Error {
  override readonly name = 'UploadSupersededError';
}

interface Held {
  upload: UnfinishedUpload;
  /** Hash of the first `committedBytes`; null after a start, or if it is ahead of the disk. */
  hash: Hash | null;
  /** The stream that is being read, if any. */
  stream: { superseded: AbortController; ended: Promise<unknown> } | null;
}

const NOTE_SUFFIX = '.json';
const REHASH_BYTES = 1024 ** 2;

export class UnfinishedUploadStore {
  readonly #folder: string;
  readonly #held = new Map<string, Held>();

  constructor(dataFolder: string) {
    this.#folder = join(dataFolder, 'partial');
  }

  /** Reads what an earlier run left; drops what cannot be continued. */
  async prepare(): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const files = await readdir(this.#folder);
    for (const file of files.filter((name) => name.endsWith(NOTE_SUFFIX))) {
      const name = file.slice(0, -NOTE_SUFFIX.length);
      const upload = parseUnfinishedUpload(await readFile(join(this.#folder, file), 'utf8'));
      if (upload !== undefined && (await this.#isWhole(name, upload))) {
        this.#held.set(name, { upload, hash: null, stream: null });
      }
    }
    for (const file of files) {
      const name = file.endsWith(NOTE_SUFFIX) ? file.slice(0, -NOTE_SUFFIX.length) : file;
      if (!this.#held.has(name)) await rm(join(this.#folder, file), { force: true });
    }
  }

  find(accountId: number, uploadId: string): UnfinishedUpload | undefined {
    return this.#held.get(nameOf(accountId, uploadId))?.upload;
  }

  /** Uploads of one account, or of all. */
  list(accountId?: number): UnfinishedUpload[] {
    const all = [...this.#held.values()].map(({ upload }) => upload);
    return accountId === undefined ? all : all.filter((upload) => upload.accountId === accountId);
  }

  /** Takes the place of an upload of the same name. */
  async create(upload: UnfinishedUpload): Promise<void> {
    await this.remove(upload);
    const name = this.#nameOf(upload);
    this.#held.set(name, { upload, hash: createHash('sha256'), stream: null });
    const file = await open(this.#pathOf(name), 'w', 0o600);
    await file.close();
    await this.#note(name, upload);
  }

  /** Ends a stream that still feeds the upload; resolves once all that it brought is safe. */
  async supersede({ accountId, uploadId }: UnfinishedUpload): Promise<void> {
    const stream = this.#held.get(nameOf(accountId, uploadId))?.stream;
    if (stream === undefined || stream === null) return;
    stream.superseded.abort(new UploadSupersededError('the upload was continued by another call'));
    await stream.ended;
  }

  /** Adds to the upload. Whatever ends the stream, what came before is kept and counted in `committedBytes`. */
  async append(
    upload: UnfinishedUpload,
    bytes: AsyncIterable<Uint8Array>,
    bounds: ReceiveBounds & { now: () => number },
    signal: AbortSignal,
  ): Promise<void> {
    await this.supersede(upload);
    const held = this.#held.get(this.#nameOf(upload));
    if (held?.upload !== upload || held.stream !== null) {
      throw new UploadSupersededError('the upload was taken over by another call');
    }
    const superseded = new AbortController();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    held.stream = { superseded, ended };
    try {
      await this.#receive(held, bytes, bounds, AbortSignal.any([signal, superseded.signal]));
    } finally {
      held.stream = null;
      end();
    }
  }

  /** The whole file where it lies; it is renamed away when it becomes a blob, and stays for another try otherwise. */
  async whole(upload: UnfinishedUpload, signal: AbortSignal): Promise<TemporaryBlob> {
    const name = this.#nameOf(upload);
    const held = this.#held.get(name);
    if (held === undefined) throw new UploadSupersededError('the upload was removed');
    const path = this.#pathOf(name);
    await using file = await open(path, 'r');
    held.hash ??= await rehash(file, upload.committedBytes, signal);
    const hash = held.hash.copy().digest('hex');
    const head = await readHead(file);
    // The upload may be begun anew under the same name while this one is submitted.
    const fingerprint = fingerprintOf(await file.stat({ bigint: true }));
    // What is committed was flushed.
    const flushed = Promise.resolve();
    return { path, hash, sizeBytes: upload.committedBytes, head, flushed, fingerprint };
  }

  /** The bytes are a blob now; whose they became is remembered, for a caller that missed the answer. */
  async complete(upload: UnfinishedUpload, identifier: string): Promise<void> {
    upload.identifier = identifier;
    const name = this.#nameOf(upload);
    const held = this.#held.get(name);
    if (held?.upload !== upload) return;
    held.hash = null;
    await this.#note(name, upload);
    // It stayed there if the store had the same bytes.
    await rm(this.#pathOf(name), { force: true });
  }

  async remove({ accountId, uploadId }: Pick<UnfinishedUpload, 'accountId' | 'uploadId'>): Promise<void> {
    const name = nameOf(accountId, uploadId);
    const held = this.#held.get(name);
    if (held === undefined) return;
    await this.supersede(held.upload);
    this.#held.delete(name);
    await rm(this.#notePathOf(name), { force: true });
    await rm(this.#pathOf(name), { force: true });
  }

  async #receive(
    held: Held,
    bytes: AsyncIterable<Uint8Array>,
    bounds: ReceiveBounds & { now: () => number },
    signal: AbortSignal,
  ): Promise<void> {
    const { upload } = held;
    const name = this.#nameOf(upload);
    const path = this.#pathOf(name);
    await using file = await open(path, 'r+');
    // Past the mark nothing is sure: a crash may have left a hole there.
    await file.truncate(upload.committedBytes);
    const hash = held.hash ?? (await rehash(file, upload.committedBytes, signal));
    held.hash = null;
    const onFlushed = async (flushedBytes: number): Promise<void> => {
      upload.committedBytes = flushedBytes;
      upload.touchedAt = bounds.now();
      await this.#note(name, upload);
    };
    const start = { hash, sizeBytes: upload.committedBytes, onFlushed };
    await using writer = new MediaWriter(file, path, start, bounds);
    try {
      await writer.receive(untilAborted(bytes, signal), signal);
    } finally {
      await writer.flush();
      held.hash = hash;
    }
  }

  async #isWhole(name: string, upload: UnfinishedUpload): Promise<boolean> {
    if (upload.identifier !== null) return true;
    const found = await stat(this.#pathOf(name)).catch(() => null);
    return found !== null && found.size >= upload.committedBytes;
  }

  /** Flushed and renamed: a reader finds the old note or the new one, and never a mark ahead of the bytes. */
  async #note(name: string, upload: UnfinishedUpload): Promise<void> {
    const path = this.#notePathOf(name);
    const next = `${path}.next`;
    await using file = await open(next, 'w', 0o600);
    await file.writeFile(JSON.stringify(upload));
    await file.datasync();
    await rename(next, path);
  }

  #nameOf({ accountId, uploadId }: UnfinishedUpload): string {
    return nameOf(accountId, uploadId);
  }

  #pathOf(name: string): string {
    return join(this.#folder, name);
  }

  #notePathOf(name: string): string {
    return `${this.#pathOf(name)}${NOTE_SUFFIX}`;
  }
}

/** The account is part of the name, so that no one finds what another account has sent. */
function nameOf(accountId: number, uploadId: string): string {
  return createHash('sha256').update(`${accountId} ${uploadId}`).digest('hex');
}

/** A hash in the making cannot be stored, so after a start the bytes are read once more. */
async function rehash(file: FileHandle, bytes: number, signal: AbortSignal): Promise<Hash> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(REHASH_BYTES);
  for (let position = 0; position < bytes; ) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, Math.min(REHASH_BYTES, bytes - position), position);
    if (bytesRead === 0) throw new Error('an unfinished upload is shorter than its mark');
    hash.update(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
  return hash;
}

/** Ends at the signal even while the source is silent: that is what a dead connection looks like. */
async function* untilAborted(
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]();
  let isAtEnd = false;
  try {
    for (;;) {
      const result = await nextUnlessAborted(chunks, signal);
      isAtEnd = result.done === true;
      if (result.done === true) return;
      yield result.value;
    }
  } finally {
    if (!isAtEnd) chunks.return?.().catch(() => undefined);
  }
}

function nextUnlessAborted(
  chunks: AsyncIterator<Uint8Array>,
  signal: AbortSignal,
): Promise<IteratorResult<Uint8Array>> {
  const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<Uint8Array>>();
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  chunks
    .next()
    .then(resolve, reject)
    .finally(() => signal.removeEventListener('abort', abort));
  return promise;
}

/** The first bytes, enough to recognise the type. */
async function readHead(file: FileHandle): Promise<Uint8Array> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

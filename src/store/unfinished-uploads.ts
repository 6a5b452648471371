/** Uploads that may be continued: bytes so far, and a note. One begun anew has its own files, which no older end removes. */
import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HEAD_BYTES } from '../domain/media/sniff.ts';
import type { TemporaryBlob } from './blobs.ts';
import { MediaWriter, type ReceiveBounds } from './media-writer.ts';
import { parseUnfinishedUpload, type UnfinishedUpload } from './unfinished-upload.ts';

/** Ends a stream whose upload another stream continues: its connection is most likely dead. */
export class UploadSupersededError extends Error {
  override readonly name = 'UploadSupersededError';
}

/** The whole file; its bytes stay until `release`, even if the upload is removed or begun anew meanwhile. */
export interface WholeUpload extends TemporaryBlob {
  release: () => Promise<void>;
}

interface Held {
  readonly upload: UnfinishedUpload;
  readonly path: string;
  /** Hash of the first `committedBytes`; null after a start, or if it is ahead of the disk. */
  hash: Hash | null;
  /** The stream that is being read, if any. */
  stream: { superseded: AbortController; ended: Promise<unknown> } | null;
  /** Submissions that got the whole file and have not released it. */
  submissions: number;
}

const NOTE_SUFFIX = '.json';
/** Name and generation; notes of earlier versions have no generation. */
const NOTE_NAME = /^([0-9a-f]{64})(?:\.(\d+))?\.json$/;
const REHASH_BYTES = 1024 ** 2;

export class UnfinishedUploadStore {
  readonly #folder: string;
  /** The upload that was begun last, by name. */
  readonly #held = new Map<string, Held>();
  /** The highest generation of a file here since the start. */
  #generation = 0;

  constructor(dataFolder: string) {
    this.#folder = join(dataFolder, 'partial');
  }

  /** Reads uploads of an earlier run; drops those that cannot be continued. */
  async prepare(): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const files = await readdir(this.#folder);
    const notes = files.flatMap((file) => toNote(file) ?? []);
    notes.sort((left, right) => left.generation - right.generation);
    for (const { name, stem, generation } of notes) {
      this.#generation = generation;
      const path = join(this.#folder, stem);
      const upload = parseUnfinishedUpload(await readFile(notePathOf(path), 'utf8'));
      if (upload !== undefined && (await isWhole(path, upload))) this.#held.set(name, toHeld(upload, path));
    }
    const kept = new Set(
      [...this.#held.values()].flatMap(({ upload, path }) => [
        notePathOf(path),
        ...(upload.identifier === null ? [path] : []),
      ]),
    );
    const paths = files.map((file) => join(this.#folder, file));
    for (const path of paths) if (!kept.has(path)) await rm(path, { force: true });
  }

  find(accountId: number, uploadId: string): UnfinishedUpload | undefined {
    return this.#held.get(nameOf({ accountId, uploadId }))?.upload;
  }

  /** Uploads of one account, or of all. */
  list(accountId?: number): UnfinishedUpload[] {
    const all = [...this.#held.values()].map(({ upload }) => upload);
    return accountId === undefined ? all : all.filter((upload) => upload.accountId === accountId);
  }

  /** Replaces an upload of the same name. */
  async create(upload: UnfinishedUpload): Promise<void> {
    const name = nameOf(upload);
    const former = this.#held.get(name);
    this.#generation += 1;
    const held = toHeld(upload, join(this.#folder, `${name}.${this.#generation}`));
    held.hash = createHash('sha256');
    this.#held.set(name, held);
    if (former !== undefined) await clear(former);
    const file = await open(held.path, 'w', 0o600);
    await file.close();
    await this.#note(held);
  }

  /** Ends a stream that still feeds the upload; resolves once all its bytes are safe. */
  async supersede(upload: UnfinishedUpload): Promise<void> {
    const held = this.#heldOf(upload);
    if (held !== undefined) await endStream(held);
  }

  /** Adds to the upload. However the stream ends, the bytes before are kept and counted in `committedBytes`. */
  async append(
    upload: UnfinishedUpload,
    bytes: AsyncIterable<Uint8Array>,
    bounds: ReceiveBounds & { now: () => number },
    signal: AbortSignal,
  ): Promise<void> {
    await this.supersede(upload);
    const held = this.#heldOf(upload);
    if (held === undefined || held.stream !== null) {
      throw new UploadSupersededError('the upload was taken over by another call');
    }
    if (held.submissions > 0) throw new UploadSupersededError('the upload is whole and being submitted');
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

  /** The whole file at its place; it is renamed when it becomes a blob, and stays for another try otherwise. */
  async whole(upload: UnfinishedUpload, signal: AbortSignal): Promise<WholeUpload> {
    const held = this.#heldOf(upload);
    if (held === undefined) throw new UploadSupersededError('the upload was removed');
    held.submissions += 1;
    const release = once(() => this.#release(held));
    try {
      await using file = await open(held.path, 'r');
      held.hash ??= await rehash(file, upload.committedBytes, signal);
      const hash = held.hash.copy().digest('hex');
      const head = await readHead(file);
      // Committed bytes are flushed.
      const flushed = Promise.resolve();
      return { path: held.path, hash, sizeBytes: upload.committedBytes, head, flushed, release };
    } catch (error) {
      await release();
      throw error;
    }
  }

  /** Remembers the record that the bytes became, for a caller that missed the answer. */
  async complete(upload: UnfinishedUpload, identifier: string): Promise<void> {
    upload.identifier = identifier;
    const held = this.#heldOf(upload);
    if (held === undefined) return;
    held.hash = null;
    await this.#note(held);
  }

  /** Does nothing if the upload was begun anew meanwhile. */
  async remove(upload: UnfinishedUpload): Promise<void> {
    const held = this.#heldOf(upload);
    if (held === undefined) return;
    this.#held.delete(nameOf(upload));
    await clear(held);
  }

  /** Undefined once another upload has its name. */
  #heldOf(upload: UnfinishedUpload): Held | undefined {
    const held = this.#held.get(nameOf(upload));
    return held?.upload === upload ? held : undefined;
  }

  async #release(held: Held): Promise<void> {
    held.submissions -= 1;
    const isNeeded = this.#heldOf(held.upload) !== undefined && held.upload.identifier === null;
    if (held.submissions === 0 && !isNeeded) await rm(held.path, { force: true });
  }

  async #receive(
    held: Held,
    bytes: AsyncIterable<Uint8Array>,
    bounds: ReceiveBounds & { now: () => number },
    signal: AbortSignal,
  ): Promise<void> {
    const { upload, path } = held;
    await using file = await open(path, 'r+');
    // Bytes past the mark are unsure: a crash may have left a hole there.
    await file.truncate(upload.committedBytes);
    const hash = held.hash ?? (await rehash(file, upload.committedBytes, signal));
    held.hash = null;
    const onFlushed = async (flushedBytes: number): Promise<void> => {
      upload.committedBytes = flushedBytes;
      upload.touchedAt = bounds.now();
      await this.#note(held);
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

  /** Flushed and renamed, so that a reader finds the old or the new note, and never a mark ahead of the bytes. */
  async #note(held: Held): Promise<void> {
    const path = notePathOf(held.path);
    const next = `${path}.next`;
    {
      await using file = await open(next, 'w', 0o600);
      await file.writeFile(JSON.stringify(held.upload));
      await file.datasync();
    }
    await rename(next, path);
    // It lost its name meanwhile, so this note was written after its files were removed.
    if (this.#heldOf(held.upload) === undefined) await removeFiles(held);
  }
}

/** The account is part of the name, so that no one finds another account's upload. */
function nameOf({ accountId, uploadId }: Pick<UnfinishedUpload, 'accountId' | 'uploadId'>): string {
  return createHash('sha256').update(`${accountId} ${uploadId}`).digest('hex');
}

const notePathOf = (path: string): string => `${path}${NOTE_SUFFIX}`;

function toNote(file: string): { name: string; stem: string; generation: number } | undefined {
  const [, name, generation = '0'] = NOTE_NAME.exec(file) ?? [];
  if (name === undefined) return undefined;
  return { name, stem: file.slice(0, -NOTE_SUFFIX.length), generation: Number(generation) };
}

function toHeld(upload: UnfinishedUpload, path: string): Held {
  return { upload, path, hash: null, stream: null, submissions: 0 };
}

async function isWhole(path: string, upload: UnfinishedUpload): Promise<boolean> {
  if (upload.identifier !== null) return true;
  const found = await stat(path).catch(() => null);
  return found !== null && found.size >= upload.committedBytes;
}

async function endStream({ stream }: Held): Promise<void> {
  if (stream === null) return;
  stream.superseded.abort(new UploadSupersededError('the upload was continued by another call'));
  await stream.ended;
}

async function clear(held: Held): Promise<void> {
  await endStream(held);
  await removeFiles(held);
}

async function removeFiles({ path, submissions }: Held): Promise<void> {
  await rm(notePathOf(path), { force: true });
  if (submissions === 0) await rm(path, { force: true });
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null;
  return () => (done ??= work());
}

/** An unfinished hash cannot be stored, so after a start the bytes are read again. */
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

/** Ends at the signal even while the source is silent, as it is over a dead connection. */
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

async function readHead(file: FileHandle): Promise<Uint8Array> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

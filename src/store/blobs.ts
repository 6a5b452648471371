/** Media bytes by SHA-256: temporary, kept, removed. A temporary file belongs to one process, so a start sweeps them. */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { access, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { BlobChecks } from './blob-checks.ts';
import { MediaWriter, type ReceiveBounds } from './media-writer.ts';
import { flushFolder, removeFile, renameDurably } from './space/folder.ts';

export interface TemporaryBlob {
  path: string;
  hash: string;
  sizeBytes: number;
  /** The first bytes, enough to recognise the type. */
  head: Uint8Array;
  /** Resolves when the bytes are safe from a loss of power; rejects with the disk's fault. */
  flushed: Promise<void>;
  /** Set by `keep` once the file has its permanent name: `path` is then no longer valid. */
  isKept?: boolean;
}

export class BlobStore {
  readonly checks: BlobChecks;
  /** A folder of this process alone: the next start empties it. */
  readonly temporaryFolder: string;
  readonly #folder: string;
  readonly #locks = new Map<string, Promise<unknown>>();
  /** Folders by the first letters of hashes that exist: at most 256. */
  readonly #made = new Set<string>();
  readonly #onRemoved: (hash: string) => Promise<void>;

  /** `onRemoved` removes what was derived from the bytes; `onChanged` gets a file that is not what was submitted. */
  constructor(
    dataFolder: string,
    onRemoved: (hash: string) => Promise<void>,
    onChanged: (hash: string) => void,
  ) {
    this.#onRemoved = onRemoved;
    this.checks = new BlobChecks((hash) => this.pathOf(hash), onChanged);
    this.temporaryFolder = join(dataFolder, 'uploads');
    this.#folder = join(dataFolder, 'blobs');
  }

  async prepare(): Promise<void> {
    await rm(this.temporaryFolder, { recursive: true, force: true });
    await mkdir(this.temporaryFolder, { recursive: true });
    await mkdir(this.#folder, { recursive: true });
  }

  /** Writes, hashes and counts in one pass. The flush goes on, so that the file can be probed; a failure leaves nothing. */
  async receive(
    bytes: AsyncIterable<Uint8Array>,
    bounds: ReceiveBounds,
    signal: AbortSignal,
  ): Promise<TemporaryBlob> {
    const path = join(this.temporaryFolder, randomBytes(16).toString('hex'));
    try {
      return await this.#write(path, bytes, bounds, signal);
    } catch (error) {
      await removeFile(path);
      throw error;
    }
  }

  async #write(
    path: string,
    bytes: AsyncIterable<Uint8Array>,
    bounds: ReceiveBounds,
    signal: AbortSignal,
  ): Promise<TemporaryBlob> {
    await using opened = new AsyncDisposableStack();
    const file = opened.use(await open(path, 'wx', 0o600));
    const hash = createHash('sha256');
    const writer = opened.use(new MediaWriter(file, path, { hash, sizeBytes: 0 }, bounds));
    await writer.receive(bytes, signal);
    await writer.write();
    const flushed = flushAndClose(writer, opened.move());
    // `keep` awaits it and meets its fault.
    flushed.catch(() => undefined);
    return { path, hash: hash.digest('hex'), sizeBytes: writer.sizeBytes, head: writer.head, flushed };
  }

  pathOf(hash: string): string {
    return join(this.#folder, hash.slice(0, 2), hash);
  }

  async has(hash: string): Promise<boolean> {
    try {
      await access(this.pathOf(hash));
      return true;
    } catch {
      return false;
    }
  }

  isThere(hash: string): boolean {
    return existsSync(this.pathOf(hash));
  }

  /** Gives the bytes their permanent name, when they are flushed. Call inside withLock, together with the transaction that refers to it. */
  async keep(temporary: TemporaryBlob): Promise<void> {
    await temporary.flushed;
    if (await this.#isWhole(temporary)) return;
    await this.#place(temporary, this.pathOf(temporary.hash));
    temporary.isKept = true;
  }

  /** Undoes `keep` for bytes that no record refers to, inside the same lock, so that their sender may try again. */
  async takeBack(temporary: TemporaryBlob): Promise<void> {
    if (temporary.isKept === true) await renameDurably(this.pathOf(temporary.hash), temporary.path);
    temporary.isKept = false;
    await this.remove(temporary.hash);
  }

  async #place(temporary: TemporaryBlob, path: string): Promise<void> {
    await this.#rename(temporary, path);
    this.checks.noteWhole(temporary.hash, await stat(path, { bigint: true }));
  }

  /** A process makes each folder once and removes none; if somebody else does, the next file makes it anew. */
  async #rename(temporary: TemporaryBlob, path: string): Promise<void> {
    const prefix = temporary.hash.slice(0, 2);
    if (!this.#made.has(prefix)) {
      await mkdir(join(this.#folder, prefix), { recursive: true });
      await flushFolder(this.#folder);
      this.#made.add(prefix);
    }
    try {
      await renameDurably(temporary.path, path);
    } catch (error) {
      this.#made.delete(prefix);
      throw error;
    }
  }

  /** Whether the stored file is whole as far as is known unread; the next submission replaces a changed one. */
  async #isWhole({ hash, sizeBytes }: TemporaryBlob): Promise<boolean> {
    return (
      (await this.has(hash)) && !this.checks.isKnownChanged(hash) && (await this.sizeOf(hash)) === sizeBytes
    );
  }

  /** Does nothing to a kept file. Waits for the flush, so that the bound on uploads bounds their descriptors. */
  async discard(temporary: TemporaryBlob): Promise<void> {
    if (temporary.isKept === true) return;
    await removeFile(temporary.path);
    await temporary.flushed.catch(() => undefined);
  }

  async remove(hash: string): Promise<void> {
    await removeFile(this.pathOf(hash));
    this.checks.forget(hash);
    await this.#onRemoved(hash);
  }

  async sizeOf(hash: string): Promise<number> {
    return (await stat(this.pathOf(hash))).size;
  }

  /** Serialises keeping and removing of one hash, so that a deletion cannot take the file of a new submission. */
  async withLock<T>(hash: string, work: () => Promise<T>): Promise<T> {
    const before = this.#locks.get(hash) ?? Promise.resolve();
    const own = before.then(work, work);
    const settled = own.catch(() => undefined);
    this.#locks.set(hash, settled);
    try {
      return await own;
    } finally {
      if (this.#locks.get(hash) === settled) this.#locks.delete(hash);
    }
  }

  /** Removes kept files that no record needs, after a crash; `neededUnder` is asked per folder, as one per file is slow. */
  async sweep(neededUnder: (prefix: string) => ReadonlySet<string>, signal: AbortSignal): Promise<number> {
    let removed = 0;
    for (const prefix of await readdir(this.#folder)) {
      if (signal.aborted) break;
      const hashes = await readdir(join(this.#folder, prefix));
      const needed = neededUnder(prefix);
      for (const hash of hashes.filter((it) => !needed.has(it))) {
        // A submission holds the lock from the rename to its transaction.
        removed += await this.withLock(hash, async () => {
          if (neededUnder(hash).has(hash)) return 0;
          await this.remove(hash);
          return 1;
        });
      }
    }
    return removed;
  }
}

async function flushAndClose(writer: MediaWriter, opened: AsyncDisposableStack): Promise<void> {
  await using _opened = opened;
  await writer.flush();
}

/**
 * The embedded store: LMDB for records, plain files for media. One writer process; a transaction is synchronous,
 * atomic, and answered only once it is on the disk.
 */
import { mkdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { ArtifactStore } from './artifacts.ts';
import { BlobStore } from './blobs.ts';
import { FolderLock } from './lock.ts';
import { StoreReader } from './reader.ts';
import { FORMAT_VERSION, openTables, TABLES_MAX, type Tables } from './schema.ts';
import { StoreTransaction } from './transaction.ts';

export interface StoreConfig {
  folder: string;
}

export class NewerFormatError extends Error {
  override readonly name = 'NewerFormatError';
}

/** Pages of 8 KiB: with 4 KiB, records of about 2 KB fill only half of each (libraries.md section 5). */
const PAGE_BYTES = 8192;

export class Store implements AsyncDisposable {
  readonly read: StoreReader;
  readonly blobs: BlobStore;
  readonly artifacts: ArtifactStore;
  readonly #folder: string;
  readonly #root: RootDatabase;
  readonly #transaction: StoreTransaction;
  readonly #lock: FolderLock;

  private constructor(folder: string, root: RootDatabase, tables: Tables, lock: FolderLock) {
    this.#folder = folder;
    this.#root = root;
    this.#lock = lock;
    this.read = new StoreReader(tables);
    this.#transaction = new StoreTransaction(tables);
    this.blobs = new BlobStore(folder);
    this.artifacts = new ArtifactStore(folder);
  }

  /** Locks the folder, checks the format and sweeps what a killed daemon left. */
  static async open({ folder }: StoreConfig): Promise<Store> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const lock = await FolderLock.acquire(folder);
    const root = open({ path: join(folder, 'records'), pageSize: PAGE_BYTES, maxDbs: TABLES_MAX });
    const tables = openTables(root);
    const store = new Store(folder, root, tables, lock);
    await store.#checkFormat(tables);
    await store.blobs.prepare();
    await store.artifacts.prepare();
    await store.blobs.sweep((hash) => store.read.hasBlobReference(hash));
    await store.artifacts.sweep((id) => store.read.analysis(id) !== undefined);
    return store;
  }

  async #checkFormat(tables: Tables): Promise<void> {
    const meta = tables.meta.get('store');
    if (meta === undefined) {
      await this.transact((tx) =>
        tx.setMeta({ formatVersion: FORMAT_VERSION, createdAt: Date.now() * 1000 }),
      );
    } else if (meta.formatVersion > FORMAT_VERSION) {
      await this[Symbol.asyncDispose]();
      throw new NewerFormatError(
        `the data folder has format ${meta.formatVersion}, this version reads up to ${FORMAT_VERSION}: ` +
          'start the newer version that wrote it, or restore a backup of this version',
      );
    }
  }

  /**
   * Runs the change in one transaction: all of it or, where it throws, nothing. Resolves once it is flushed.
   * The change is synchronous: lmdb-js' asynchronous transactions never resolve on the Node that Assay runs on.
   */
  async transact<T>(change: (tx: StoreTransaction) => T): Promise<T> {
    const result = this.#root.transactionSync(() => change(this.#transaction));
    await this.#root.flushed;
    return result;
  }

  /** Bytes that the disk of the data folder still takes. */
  async freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.#folder);
    return bavail * bsize;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#root.close();
    await this.#lock[Symbol.asyncDispose]();
  }
}

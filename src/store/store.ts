/** LMDB for records, plain files for media. One writer process; a transaction is answered only once it is on the disk. */
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { codeOf } from '../domain/error-code.ts';
import { OperatorFault } from '../domain/operator-fault.ts';
import { MICROSECONDS_PER_MS } from '../domain/time.ts';
import type { StoreChange } from './accounts/change.ts';
import { type AnswersCompared, compareAnswers, makeAnswers } from './answer-index.ts';
import { ArtifactStore } from './artifacts.ts';
import { BlobStore } from './blobs.ts';
import { CommitGroups } from './commit-group.ts';
import type { IndexMade } from './index-making.ts';
import { FolderLock } from './lock.ts';
import { migrate } from './migrations.ts';
import { closeToOthers } from './private-folder.ts';
import { StoreReader } from './reader.ts';
import { findIndexFault, rebuildIndexes } from './rebuild-indexes.ts';
import { ANSWERS_COMPLETE } from './records/record-rows.ts';
import { WORDS_COMPLETE } from './records/word-rows.ts';
import { MACHINE_DISK, type RecordsDisk } from './records-disk.ts';
import { RenditionStore } from './rendition-store.ts';
import { assertNotHalfRestored, readRestoredMark, removeRestoredMark } from './restore-mark.ts';
import { assertOwner, type Compacted, compactIfWorth, compactRecords } from './space/compact.ts';
import { type OldestReader, Snapshots } from './space/snapshots.ts';
import { readSpace, type StoreSpace } from './space/space.ts';
import type { DamagedRecordError } from './tables/codec.ts';
import { FORMAT_VERSION, META_KEYS, openTables, readMeta, TABLES_MAX, type Tables } from './tables/schema.ts';
import { Table } from './tables/table.ts';
import { StoreTransaction } from './transaction.ts';
import { UnfinishedUploadStore } from './unfinished-uploads.ts';
import { makeWords } from './word-index.ts';

export interface StoreConfig {
  folder: string;
  /** Makes the indexes anew even if they look right. */
  isRebuildAsked?: boolean | undefined;
  /** Called with how far an upgrade of an older store is, and why indexes are made anew. */
  onUpgrade?: ((message: string) => void) | undefined;
  /** Size from which a start compacts a mostly free file of the records; COMPACT_BYTES_MIN otherwise. */
  compactBytesMin?: number | undefined;
  onDamage?: ((error: DamagedRecordError) => void) | undefined;
  /** Called once for each changed original. */
  onChangedOriginal?: ((hash: string) => void) | undefined;
  /** Microseconds since 1970; the machine's clock if it is absent. */
  now?: (() => number) | undefined;
  /** Milliseconds that never go back; the process' own if absent. */
  uptimeMs?: (() => number) | undefined;
  /** The machine's disk if absent. */
  disk?: RecordsDisk | undefined;
}

/** The data folder cannot be written: its disk refuses, or it belongs to somebody else. */
export class FolderNotWritableError extends OperatorFault {
  override readonly name = 'FolderNotWritableError';
}

export class NewerFormatError extends OperatorFault {
  override readonly name = 'NewerFormatError';
}

/** Pages of 8 KiB: with 4 KiB, records of about 2 KB fill only half of each. */
const PAGE_BYTES = 8192;

export class Store implements AsyncDisposable {
  readonly read: StoreReader;
  readonly blobs: BlobStore;
  readonly artifacts: ArtifactStore;
  readonly unfinishedUploads: UnfinishedUploadStore;
  readonly renditions: RenditionStore;
  readonly folder: string;
  readonly #root: RootDatabase;
  readonly #tables: Tables;
  readonly #groups: CommitGroups;
  readonly #lock: FolderLock;
  readonly #snapshots: Snapshots;
  readonly #disk: RecordsDisk;
  #revision = 0;
  readonly #followers: ((change: StoreChange) => void)[] = [];

  private constructor(
    config: StoreConfig,
    root: RootDatabase,
    tables: Tables,
    lock: FolderLock,
    inode: number,
  ) {
    const { folder, disk = MACHINE_DISK } = config;
    this.folder = folder;
    this.#disk = disk;
    this.#root = root;
    this.#lock = lock;
    this.#snapshots = new Snapshots(root, config.uptimeMs);
    this.#tables = tables;
    this.read = new StoreReader(tables);
    this.#groups = new CommitGroups({
      root,
      disk,
      tables: Object.values(tables),
      transaction: new StoreTransaction(tables, { now: config.now ?? microsecondsNow, inode }),
      onCommit: () => {
        this.#revision += 1;
      },
      onChange: (change) => {
        for (const follower of this.#followers) follower(change);
      },
    });
    const dropRenditions = (owner: string): Promise<void> => this.renditions.removeAll(owner);
    this.blobs = new BlobStore(folder, dropRenditions, (hash) => config.onChangedOriginal?.(hash));
    this.artifacts = new ArtifactStore(folder, dropRenditions);
    const isStored = (owner: string): boolean => this.blobs.isThere(owner) || this.artifacts.isThere(owner);
    this.renditions = new RenditionStore(folder, isStored);
    this.unfinishedUploads = new UnfinishedUploadStore(folder);
  }

  /** Locks the folder, checks the format and drops unfinished uploads; looks at no record. */
  static async open(config: StoreConfig): Promise<Store> {
    const { folder } = config;
    const lock = await lockFolder(folder);
    const report = config.onUpgrade ?? (() => undefined);
    await closeToOthers(folder, report);
    await compactIfWorth(folder, {
      report,
      bytesMin: config.compactBytesMin,
    });
    const { noSync } = config.disk ?? MACHINE_DISK;
    // Changes are grouped here. LMDB's own batches reject a promise that no one holds when the disk is full.
    const batching = { eventTurnBatching: false };
    const path = join(folder, 'records');
    const root = open({ path, pageSize: PAGE_BYTES, maxDbs: TABLES_MAX, noSync, ...batching });
    // One transaction makes all tables of an empty folder; separate ones take half a second.
    const tables = root.transactionSync(() => openTables(root));
    for (const table of Object.values(tables)) if (table instanceof Table) table.onDamage = config.onDamage;
    const { ino } = await stat(join(folder, 'records', 'data.mdb'));
    const store = new Store(config, root, tables, lock, ino);
    try {
      await store.#checkFormat(tables, config.onUpgrade);
      await store.#openCustody();
      await store.#checkIndexes(tables, config);
      await store.#prepareFiles();
      return store;
    } catch (error) {
      await store[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Makes the file of the records as small as its values, if no daemon runs. Throws NotCompactedError. */
  static async compact(folder: string): Promise<Compacted> {
    await assertOwner(folder);
    await using _ = await lockFolder(folder);
    return await compactRecords(folder);
  }

  async #prepareFiles(): Promise<void> {
    await this.blobs.prepare();
    await this.artifacts.prepare();
    await this.unfinishedUploads.prepare();
    await this.renditions.prepare();
  }

  /** Removes files of no record, as a killed daemon leaves them. Runs beside work. */
  async sweepOrphans(signal: AbortSignal): Promise<number> {
    const blobs = await this.blobs.sweep((prefix) => this.read.blobHashesStartingWith(prefix), signal);
    const artifacts = await this.artifacts.sweep((id) => this.read.analyses.has(id), signal);
    return blobs + artifacts + (await this.renditions.sweep(signal));
  }

  async #checkFormat(tables: Tables, onUpgrade: StoreConfig['onUpgrade']): Promise<void> {
    const meta = readMeta(tables);
    if (meta === undefined) {
      await this.transact((tx) =>
        tx.setMeta({
          formatVersion: FORMAT_VERSION,
          createdAt: microsecondsNow(),
          answers: ANSWERS_COMPLETE,
          words: WORDS_COMPLETE,
        }),
      );
    } else if (meta.formatVersion > FORMAT_VERSION) {
      throw new NewerFormatError(
        `the data folder has format ${meta.formatVersion}, this version reads up to ${FORMAT_VERSION}: ` +
          'start the newer version that wrote it, or restore a backup of this version',
      );
    } else if (meta.formatVersion < FORMAT_VERSION) {
      const transact: Store['transact'] = (change) => this.transact(change);
      const report = onUpgrade ?? (() => undefined);
      await migrate({ tables, transact, report }, meta, this.folder, (path) => this.copyRecords(path));
    } else if (META_KEYS.some((key) => tables.meta.getUnlessDamaged(key) === undefined)) {
      await this.transact((tx) => tx.setMeta(meta));
    }
  }

  /** A restore, a copy or damage while no daemon ran becomes the first entry. */
  async #openCustody(): Promise<void> {
    const restored = await readRestoredMark(this.folder);
    await this.transact((tx) => tx.openCustody('the log begins', restored));
    if (restored !== undefined) await removeRestoredMark(this.folder);
  }

  async #checkIndexes(tables: Tables, { onUpgrade, isRebuildAsked = false }: StoreConfig): Promise<void> {
    const meta = readMeta(tables);
    if (meta === undefined) return;
    const fault = isRebuildAsked ? 'a rebuilding of the indexes was asked for' : findIndexFault(tables, meta);
    if (fault === null) return;
    onUpgrade?.(`${fault}; they are made anew from the records`);
    const transact: Store['transact'] = (change) => this.transact(change);
    const { values, damaged } = await rebuildIndexes({ tables, transact });
    onUpgrade?.(`the indexes are made anew: ${values} values, ${damaged} damaged ones left out`);
  }

  /** Runs a synchronous change in a later turn, all or nothing; resolves once flushed. Until then others read the old state. */
  transact<T>(change: (tx: StoreTransaction) => T): Promise<T> {
    return this.#groups.add(change);
  }

  /** Makes the index of answers if it is incomplete; beside other work, until the signal aborts. */
  async makeAnswers(signal: AbortSignal): Promise<IndexMade> {
    return await makeAnswers({ tables: this.#tables, transact: (change) => this.transact(change) }, signal);
  }

  /** Makes the index of said words if it is incomplete; beside other work, until the signal aborts. */
  async makeWords(signal: AbortSignal): Promise<IndexMade> {
    return await makeWords({ tables: this.#tables, transact: (change) => this.transact(change) }, signal);
  }

  async compareAnswers(
    query: { after: string; recordsMax: number },
    signal: AbortSignal,
  ): Promise<AnswersCompared> {
    return await compareAnswers(this.#tables, query, signal);
  }

  /** Tables whose values carry a checksum. */
  get tableNames(): string[] {
    return Object.values(this.#tables).flatMap((table) => (table instanceof Table ? [table.name] : []));
  }

  /** Calls it after each commit, with each change that may be watched. */
  follow(follower: (change: StoreChange) => void): void {
    this.#followers.push(follower);
  }

  /** Changes with each transaction: a value read under the same revision is still current. */
  get revision(): number {
    return this.#revision;
  }

  /** A consistent copy of all records, made beside running work on a thread of its own; `folder` must not exist. */
  async copyRecords(folder: string): Promise<void> {
    await mkdir(folder, { mode: 0o700 });
    await this.#root.backup(folder, true);
  }

  /** Size of the file of the records, and its free part; it shrinks only by compaction. */
  async space(): Promise<StoreSpace> {
    const { size } = await stat(join(this.folder, 'records', 'data.mdb'));
    return readSpace(this.#root, this.#tables, size);
  }

  /** Finds who reads an old state of the records and so lets the file grow, as a copy of the records does. */
  oldestReader(): OldestReader {
    return this.#snapshots.oldest();
  }

  async freeBytes(): Promise<number> {
    return await this.#disk.freeBytes(this.folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#groups.settled();
    await this.#root.close();
    await this.#lock[Symbol.asyncDispose]();
  }
}

const microsecondsNow = (): number => Date.now() * MICROSECONDS_PER_MS;

const NOT_WRITABLE: readonly unknown[] = ['EROFS', 'EACCES', 'EPERM', 'ENOSPC', 'EDQUOT'];

async function lockFolder(folder: string): Promise<FolderLock> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const lock = await FolderLock.acquire(folder);
    await assertNotHalfRestored(folder).catch(async (error: unknown) => {
      await lock[Symbol.asyncDispose]();
      throw error;
    });
    return lock;
  } catch (error) {
    const code = codeOf(error);
    if (!NOT_WRITABLE.includes(code)) throw error;
    const message = `the data folder ${folder} cannot be written (${code}): give its owner a disk with room that takes writes`;
    throw new FolderNotWritableError(message, { cause: error });
  }
}

/** A hot backup: records, then files, as hard links of an earlier one; it gets its name once all is read back. */
import { constants, createReadStream, createWriteStream } from 'node:fs';
import { copyFile, link, mkdir, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { BackupProgress } from '../../domain/contract/backups.ts';
import { codeOf } from '../../domain/error-code.ts';
import { Pace } from '../pace.ts';
import { openRecordsCopy, type RecordsCopy } from '../records-copy.ts';
import { flushFile, flushFolder, renameDurably } from '../space/folder.ts';
import type { Store } from '../store.ts';
import { FORMAT_VERSION } from '../tables/schema.ts';
import { type BackupManifest, hashFile, ListingWriter, writeManifest } from './listing.ts';
import { isFile, listBackups } from './shelf.ts';

export interface BackupOrder {
  /** Holds the backups; made if it does not exist. */
  folder: string;
  withSecrets: boolean;
  /** Version of the program, for the manifest. */
  version: string;
  /** Milliseconds since 1970 UTC: the backup's name. */
  now: number;
  /** Bound for media, read and written together; 0 = no bound. */
  bytesPerSecondMax: number;
}

export interface Backup {
  path: string;
  manifest: BackupManifest;
  copiedBytes: number;
  /** Left-out media: their bytes are not those that were submitted, and no earlier backup has them whole. */
  damaged: string[];
}

const COPY_CHUNK_BYTES = 1024 * 1024;
const PARTIAL_PREFIX = '.partial-assay-';
/** Whole sub-folders of the data folder. Uploads and jobs are temporary, and mail is sent. */
const TREES = ['blobs', 'artifacts', 'models'] as const;
/** Without the first keys cannot be shown again (sealer.ts); without the last a restored box signs with a new key. */
const SECRETS = ['sealing.key', 'admin.key', 'evidence-signing.key'] as const;
/** The public signing keys: what they signed is verified wherever the box goes on. */
export const PUBLIC_FILE = 'evidence-keys.json';

/** Throws if anything cannot be written or reads back differently; then nothing is left behind. */
export async function writeBackup(
  store: Store,
  order: BackupOrder,
  report: (progress: BackupProgress) => void,
  signal: AbortSignal,
): Promise<Backup> {
  const { folder } = order;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await sweepPartials(folder);
  const [previous] = await listBackups(folder);
  const name = `assay-${new Date(order.now).toISOString().replace(/[-:]/g, '')}`;
  const partial = join(folder, `${PARTIAL_PREFIX}${name.slice('assay-'.length)}`);
  await mkdir(partial, { mode: 0o700 });
  try {
    const pace = new Pace(order.bytesPerSecondMax, signal);
    const run = new BackupRun({ store, target: partial, previous, report, signal, pace });
    const manifest = await run.write(order);
    const path = join(folder, name);
    await renameDurably(partial, path);
    run.enter('done');
    return { path, manifest, copiedBytes: run.copiedBytes, damaged: run.damaged };
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

/** Removes unfinished backups of a killed daemon; the lock of the data folder lets only one run at a time. */
async function sweepPartials(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.startsWith(PARTIAL_PREFIX)) await rm(join(folder, name), { recursive: true, force: true });
  }
}

interface Copy {
  sha256: string;
  bytes: number;
  isCopied: boolean;
}

interface RunParts {
  store: Store;
  target: string;
  previous: string | undefined;
  report: (progress: BackupProgress) => void;
  signal: AbortSignal;
  pace: Pace;
}

class BackupRun {
  readonly #store: Store;
  readonly #target: string;
  readonly #previous: string | undefined;
  readonly #report: (progress: BackupProgress) => void;
  readonly #signal: AbortSignal;
  readonly #pace: Pace;
  #files = 0;
  #bytes = 0;
  copiedBytes = 0;
  readonly damaged: string[] = [];

  constructor({ store, target, previous, report, signal, pace }: RunParts) {
    this.#store = store;
    this.#target = target;
    this.#previous = previous;
    this.#report = report;
    this.#signal = signal;
    this.#pace = pace;
  }

  enter(phase: BackupProgress['phase']): void {
    this.#report({ phase, files: this.#files, bytes: this.#bytes, copiedBytes: this.copiedBytes });
  }

  async write({ withSecrets, version, now }: BackupOrder): Promise<BackupManifest> {
    await using listing = await ListingWriter.create(this.#target);
    this.enter('records');
    // The snapshot comes first: every file that it names was on the disk before it.
    await this.#store.copyRecords(join(this.#target, 'records'));
    this.enter('check');
    await using records = await openRecordsCopy(join(this.#target, 'records'));
    await records.check(this.#signal);
    for (const tree of TREES) await this.#copyTree(tree, records, listing);
    await this.#copyIfThere(PUBLIC_FILE, listing);
    if (withSecrets) for (const name of SECRETS) await this.#copyIfThere(name, listing);
    await records[Symbol.asyncDispose]();
    await this.#listRecords(listing);
    const figures = await listing.finish();
    return await writeManifest(this.#target, {
      formatVersion: FORMAT_VERSION,
      version,
      createdAt: new Date(now).toISOString(),
      withSecrets,
      ...figures,
    });
  }

  async #listRecords(listing: ListingWriter): Promise<void> {
    const path = join('records', 'data.mdb');
    const { sha256, bytes } = await hashFile(join(this.#target, path), this.#signal);
    await flushFile(join(this.#target, path));
    await listing.add({ path, sha256 }, bytes);
    this.#count(bytes, bytes);
  }

  async #copyTree(tree: string, records: RecordsCopy, listing: ListingWriter): Promise<void> {
    const entries = await readdir(join(this.#store.folder, tree)).catch(() => []);
    for (const entry of entries) {
      const files = await readdir(join(this.#store.folder, tree, entry), { recursive: true }).catch(() => []);
      for (const file of files) {
        const path = join(tree, entry, file);
        if (isNeeded(tree, entry, file, records)) await this.#copyIfThere(path, listing);
      }
    }
  }

  /** A file that was deleted since the snapshot is left out: its record is meant to be gone too. */
  async #copyIfThere(path: string, listing: ListingWriter): Promise<void> {
    this.#signal.throwIfAborted();
    const source = join(this.#store.folder, path);
    if (!(await isFile(source))) return;
    try {
      const copy = await this.#copy(source, path);
      if (copy === undefined) return;
      await listing.add({ path, sha256: copy.sha256 }, copy.bytes);
      this.#count(copy.bytes, copy.isCopied ? copy.bytes : 0);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || (await isFile(source))) throw error;
    }
  }

  /** Undefined if the media's bytes are damaged and no one has them whole. */
  async #copy(source: string, path: string): Promise<Copy | undefined> {
    const target = join(this.#target, path);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    const found = await hashFile(source, this.#signal, this.#pace);
    const expected = { ...found, sha256: path.startsWith('blobs/') ? basename(path) : found.sha256 };
    if (await this.#linkPrevious(path, target, expected.sha256)) return { ...expected, isCopied: false };
    if (found.sha256 !== expected.sha256) {
      this.damaged.push(path);
      return undefined;
    }
    await this.#copyPaced(source, target);
    await flushFile(target);
    await flushFolder(dirname(target));
    const written = await hashFile(target, this.#signal, this.#pace);
    if (written.sha256 === expected.sha256) return { ...written, isCopied: true };
    throw new Error(`${path} does not read back as it was written: the disk of the backup is failing`);
  }

  /** A disk that shares blocks copies without writing; on others the bytes go at the bounded pace. */
  async #copyPaced(source: string, target: string): Promise<void> {
    try {
      await copyFile(source, target, constants.COPYFILE_FICLONE_FORCE);
    } catch {
      await rm(target, { force: true });
      const pace = this.#pace;
      await pipeline(
        createReadStream(source, { highWaterMark: COPY_CHUNK_BYTES }),
        async function* (chunks: AsyncIterable<Buffer>) {
          for await (const chunk of chunks) {
            await pace.spend(chunk.length);
            yield chunk;
          }
        },
        createWriteStream(target, { flags: 'wx', mode: 0o600 }),
        { signal: this.#signal },
      );
    }
  }

  /** Whether the backup before has the same bytes; rotten files of it are not handed on. */
  async #linkPrevious(path: string, target: string, sha256: string): Promise<boolean> {
    if (this.#previous === undefined) return false;
    const earlier = join(this.#previous, path);
    if (!(await isFile(earlier))) return false;
    const found = await hashFile(earlier, this.#signal, this.#pace).catch(() => undefined);
    if (found?.sha256 !== sha256) return false;
    try {
      await link(earlier, target);
      return true;
    } catch {
      // The disk has no hard links, or the file has as many as it may: it is copied.
      return false;
    }
  }

  #count(bytes: number, copied: number): void {
    this.#files += 1;
    this.#bytes += bytes;
    this.copiedBytes += copied;
    this.enter('files');
  }
}

function isNeeded(tree: string, entry: string, file: string, records: RecordsCopy): boolean {
  if (file.endsWith('.partial')) return false;
  if (tree === 'blobs') return records.read.hasBlobReference(file);
  return tree !== 'artifacts' || records.read.analyses.get(entry) !== undefined;
}

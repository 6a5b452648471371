/** A backup's `manifest.json` and `files.sha256`, as `sha256sum -c` reads it, so that it is judged without Assay. */
import { createHash } from 'node:crypto';
import { createReadStream, type Dirent } from 'node:fs';
import { type FileHandle, open, opendir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { codeOf } from '../../domain/error-code.ts';
import type { Pace } from '../pace.ts';
import { BadBackupError } from '../restore-mark.ts';
import { flushFile } from '../space/folder.ts';

export const MANIFEST_FILE = 'manifest.json';
export const LISTING_FILE = 'files.sha256';
const MANIFEST_VERSION = 1;

export interface BackupManifest {
  manifestVersion: number;
  /** The store's format (schema.ts): a restore refuses a newer one. */
  formatVersion: number;
  /** Version of the program that made it. */
  version: string;
  /** ISO 8601, UTC. */
  createdAt: string;
  /** Whether the sealing key and the administrator's key file are in it. */
  withSecrets: boolean;
  files: number;
  bytes: number;
  listingSha256: string;
}

export interface ListedFile {
  /** Relative to the backup's folder, with `/`. */
  path: string;
  sha256: string;
}

export async function hashFile(
  path: string,
  signal?: AbortSignal,
  pace?: Pace,
): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path, { signal, highWaterMark: 1024 * 1024 })) {
    bytes += (chunk as Buffer).length;
    hash.update(chunk as Buffer);
    await pace?.spend((chunk as Buffer).length);
  }
  return { sha256: hash.digest('hex'), bytes };
}

/** Writes the lines while a backup grows: a list of a million files is never whole in memory. */
export class ListingWriter implements AsyncDisposable {
  readonly #file: FileHandle;
  readonly #hash = createHash('sha256');
  #files = 0;
  #bytes = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async create(folder: string): Promise<ListingWriter> {
    return new ListingWriter(await open(join(folder, LISTING_FILE), 'wx', 0o600));
  }

  async add({ path, sha256 }: ListedFile, bytes: number): Promise<void> {
    const line = `${sha256}  ${path}\n`;
    await this.#file.write(line);
    this.#hash.update(line);
    this.#files += 1;
    this.#bytes += bytes;
  }

  /** Flushes the list, which is then complete. */
  async finish(): Promise<Pick<BackupManifest, 'files' | 'bytes' | 'listingSha256'>> {
    await this.#file.sync();
    return { files: this.#files, bytes: this.#bytes, listingSha256: this.#hash.digest('hex') };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }
}

export async function writeManifest(
  folder: string,
  manifest: Omit<BackupManifest, 'manifestVersion'>,
): Promise<BackupManifest> {
  const whole: BackupManifest = { manifestVersion: MANIFEST_VERSION, ...manifest };
  const path = join(folder, MANIFEST_FILE);
  await writeFile(path, `${JSON.stringify(whole, null, 2)}\n`, { flag: 'wx', mode: 0o600 });
  await flushFile(path);
  return whole;
}

/** Throws BadBackupError, naming what is wrong with the description. */
export async function readManifest(folder: string): Promise<BackupManifest> {
  const path = join(folder, MANIFEST_FILE);
  let found: unknown;
  try {
    found = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    const isNoJson = error instanceof SyntaxError;
    const what = isNoJson ? 'is damaged: it is no JSON' : `cannot be read (${codeOf(error)})`;
    throw new BadBackupError(`${folder} is no whole backup: ${MANIFEST_FILE} ${what}`);
  }
  if (!isManifest(found))
    throw new BadBackupError(`${path} is damaged: fields are missing or of a wrong type`);
  if (found.manifestVersion > MANIFEST_VERSION) {
    throw new BadBackupError(
      `${path} has version ${found.manifestVersion}, this program reads up to ${MANIFEST_VERSION}: restore with a newer Assay`,
    );
  }
  return found;
}

function isManifest(value: unknown): value is BackupManifest {
  if (typeof value !== 'object' || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  const numbers = ['manifestVersion', 'formatVersion', 'files', 'bytes'];
  const texts = ['version', 'createdAt', 'listingSha256'];
  return (
    numbers.every((name) => Number.isSafeInteger(fields.get(name))) &&
    texts.every((name) => typeof fields.get(name) === 'string') &&
    typeof fields.get('withSecrets') === 'boolean'
  );
}

/** Unlisted files of a backup. A killed look at the records leaves LMDB's lock. */
const UNLISTED: readonly string[] = [MANIFEST_FILE, LISTING_FILE, 'records/lock.mdb'];

/** Finds what does not belong in the backup, and why: links, special files, unlisted files. None of it is opened. */
export async function findStrangers(folder: string): Promise<string[]> {
  const links: string[] = [];
  let files = 0;
  for await (const { path, entry } of entriesOf(folder)) {
    if (entry.isFile()) files += 1;
    else links.push(`${path}: is ${entry.isSymbolicLink() ? 'a link' : 'no plain file'}`);
  }
  if (links.length > 0) return links;
  let listed = 0;
  for await (const _ of readListing(folder)) listed += 1;
  // The list of a million files is held in memory only if there is a stranger.
  if (files <= listed) return [];
  const known = new Set((await Array.fromAsync(readListing(folder))).map(({ path }) => path));
  const found = await Array.fromAsync(entriesOf(folder), ({ path }) => path);
  return found.filter((path) => !known.has(path)).map((path) => `${path}: is not in ${LISTING_FILE}`);
}

/** Every entry that is no folder, except those that are never listed. */
async function* entriesOf(folder: string): AsyncGenerator<{ path: string; entry: Dirent }> {
  for await (const entry of await opendir(folder, { recursive: true })) {
    const path = relative(folder, join(entry.parentPath, entry.name));
    if (!entry.isDirectory() && !(entry.isFile() && UNLISTED.includes(path))) yield { path, entry };
  }
}

const LINE = /^([0-9a-f]{64}) {2}(.+)$/;

/** Every listed file. Throws BadBackupError for a line that cannot be read or leads out of the backup. */
export async function* readListing(folder: string): AsyncGenerator<ListedFile> {
  const lines = createInterface({ input: createReadStream(join(folder, LISTING_FILE)) });
  let number = 0;
  for await (const line of lines) {
    number += 1;
    const [, sha256, path] = LINE.exec(line) ?? [];
    const isInside = path !== undefined && !path.startsWith('/') && !path.split('/').includes('..');
    if (sha256 === undefined || path === undefined || !isInside) {
      throw new BadBackupError(`${LISTING_FILE} line ${number} is damaged`);
    }
    yield { path, sha256 };
  }
}

/** Reads a package's zip, hashing each file. Files that an unzip program would write beside the listed ones are a fault. */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
// @ts-expect-error The package brings no types; those below are ours.
import * as yauzl from 'yauzl';
import { isLookedInto, isOutsideTagManifest } from './members.ts';

/** The part of yauzl 3 that is used here. */
interface Entry {
  fileName: string;
  /** The name in the zip's central directory. */
  fileNameRaw: Buffer;
  fileComment: string;
  relativeOffsetOfLocalHeader: number;
  compressedSize: number;
  uncompressedSize: number;
  /** 0: stored as it is. */
  compressionMethod: number;
  /** The upper 16 bits are the mode of Unix if a Unix program made the zip. */
  externalFileAttributes: number;
  getLastModDate(): Date;
}

interface ZipFile {
  readonly entryCount: number;
  readonly fileSize: number;
  readonly comment: string;
  /** Before the first entry was read: the start of the central directory. */
  readonly readEntryCursor: number;
  eachEntry(): AsyncIterableIterator<Entry>;
  openReadStreamPromise(entry: Entry): Promise<Readable>;
  readLocalFileHeaderPromise(entry: Entry): Promise<{ fileName: Buffer; fileDataStart: number }>;
  close(): void;
}

type OpenZip = (path: string, options?: { autoClose?: boolean }) => Promise<ZipFile>;

/** Reads the central directory; entries are opened one by one. */
export const openZip: OpenZip = (yauzl as unknown as { openPromise: OpenZip }).openPromise;

export interface ReadPackage {
  /** SHA-256 by path below the package's folder. */
  hashes: Map<string, string>;
  sizes: Map<string, number>;
  /** Small files whose content verification reads. */
  texts: Map<string, Buffer>;
  faults: Fault[];
}

export interface Fault {
  member: string;
  fault: string;
}

/** A fault of the archive, not of one member. */
export const WHOLE_ZIP = 'the zip';
/** The largest case with thirty frames a record has fewer; a zip of millions of names is no package. */
export const ENTRIES_MAX = 20_000;
/** The record of a film with all its frames has some hundred kilobytes. */
export const TEXT_BYTES_MAX = 32 * 1024 ** 2;
/** A thousand root certificates have 2 MB, a token some 10 kB: files outside the lists must not carry anything else. */
export const UNSIGNED_BYTES_MAX = 4 * 1024 ** 2;
/** Bound on all kept texts together. */
const TEXTS_BYTES_MAX = 256 * 1024 ** 2;
/** Unpacked bytes per byte of zip: a package's densest text has 40; deflate can do 1,032 and keep a verifier busy. */
export const RATIO_MAX = 200;
/** Small texts may compress better than that. */
const RATIO_FREE_BYTES = 1024 ** 2;
/** 200 originals of the largest size (5 GB) have 1 TB. */
const UNPACKED_BYTES_MAX = 2 * 1024 ** 4;

const FILE_TYPE = 0o170000;
const REGULAR = 0o100000;
const DIRECTORY = 0o040000;
const DOS_DIRECTORY = 0x10;

/** Throws if the file is no zip, or exceeds a bound that no package comes near. */
export async function readPackage(path: string): Promise<ReadPackage> {
  const zip = await openZip(path, { autoClose: false });
  try {
    const filesEnd = zip.readEntryCursor;
    const entries = await listEntries(zip);
    assertBounds(zip, entries);
    const found: ReadPackage = { hashes: new Map(), sizes: new Map(), texts: new Map(), faults: [] };
    if (zip.comment !== '')
      found.faults.push({ member: WHOLE_ZIP, fault: 'has a comment that nothing signs' });
    const members = await judgeEntries(zip, entries, found.faults);
    if (await hasHiddenBytes(zip, entries, filesEnd))
      found.faults.push({ member: WHOLE_ZIP, fault: 'holds bytes beside its files, which no list names' });
    let kept = 0;
    for (const { entry, member } of members) {
      if (found.hashes.has(member)) found.faults.push({ member, fault: 'is there twice' });
      else kept += await readEntry(zip, entry, member, found, TEXTS_BYTES_MAX - kept);
    }
    return found;
  } finally {
    zip.close();
  }
}

async function listEntries(zip: ZipFile): Promise<Entry[]> {
  if (zip.entryCount > ENTRIES_MAX) {
    throw new Error(`it has ${zip.entryCount} files; a package has at most ${ENTRIES_MAX}`);
  }
  const entries: Entry[] = [];
  for await (const entry of zip.eachEntry()) entries.push(entry);
  return entries;
}

/** By the sizes that the zip declares: reading stops at those. Nothing is unpacked before. */
function assertBounds({ fileSize }: ZipFile, entries: readonly Entry[]): void {
  let [packed, unpacked] = [0, 0];
  for (const { fileName, compressedSize, uncompressedSize } of entries) {
    packed += compressedSize;
    unpacked += uncompressedSize;
    if (uncompressedSize > RATIO_MAX * compressedSize + RATIO_FREE_BYTES) {
      const sizes = `${uncompressedSize} bytes out of ${compressedSize}`;
      throw new Error(`${fileName} unpacks to ${sizes}; a package has at most ${RATIO_MAX} for each`);
    }
  }
  if (packed > fileSize) {
    throw new Error(`its files share bytes: they take ${packed} of a zip of ${fileSize}`);
  }
  if (unpacked > UNPACKED_BYTES_MAX) {
    throw new Error(`it unpacks to ${unpacked} bytes; a package has at most ${UNPACKED_BYTES_MAX}`);
  }
}

/** The data descriptor behind a file whose size was unknown at its start: its checksum and sizes. */
const DESCRIPTOR_BYTES_MAX = 24;

/** Unzip programs that read from front to back, as from a pipe, take every file that they meet, listed or not. */
async function hasHiddenBytes(zip: ZipFile, entries: readonly Entry[], filesEnd: number): Promise<boolean> {
  const inOrder = entries.toSorted((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader);
  let end = 0;
  for (const entry of inOrder) {
    if (entry.relativeOffsetOfLocalHeader - end > (end === 0 ? 0 : DESCRIPTOR_BYTES_MAX)) return true;
    const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry);
    end = fileDataStart + entry.compressedSize;
  }
  return filesEnd - end > DESCRIPTOR_BYTES_MAX;
}

interface NamedEntry {
  entry: Entry;
  /** Below the package's folder. */
  member: string;
}

/** The files; adds a fault for whatever is more or other than a file in the one folder. */
async function judgeEntries(zip: ZipFile, entries: readonly Entry[], faults: Fault[]): Promise<NamedEntry[]> {
  const isFolder = ({ fileName }: Entry) => fileName.endsWith('/');
  const files: NamedEntry[] = [];
  for (const entry of entries.filter((entry) => !isFolder(entry))) {
    const member = entry.fileName.slice(entry.fileName.indexOf('/') + 1);
    files.push({ entry, member });
    const fault = await faultOfFile(zip, entry);
    if (fault !== null) faults.push({ member, fault });
  }
  for (const entry of entries.filter(isFolder)) {
    const { fileName } = entry;
    const fault = faultOfFolder(entry, files);
    if (fault !== null) faults.push({ member: fileName.slice(fileName.indexOf('/') + 1) || fileName, fault });
  }
  const folders = new Set(entries.map(({ fileName }) => fileName.slice(0, fileName.indexOf('/') + 1)));
  if (folders.has('')) {
    faults.push({ member: WHOLE_ZIP, fault: 'expected everything in one folder, found files beside it' });
  } else if (folders.size !== 1) {
    faults.push({ member: WHOLE_ZIP, fault: `expected one folder, found ${folders.size}` });
  }
  return files;
}

/** Unpacked it must be a plain file under the name that was judged, whichever of its names an unzip program takes. */
async function faultOfFile(zip: ZipFile, entry: Entry): Promise<string | null> {
  const { externalFileAttributes, fileComment, fileName, fileNameRaw } = entry;
  const type = (externalFileAttributes >>> 16) & FILE_TYPE;
  if (type !== 0 && type !== REGULAR)
    return 'is a link or another special file: a package has plain files only';
  if ((externalFileAttributes & DOS_DIRECTORY) !== 0)
    return 'is marked as a folder: a package has plain files only';
  if (fileComment !== '') return 'has a comment that nothing signs';
  // An extra field may hold another name, which not every program looks for.
  if (!fileNameRaw.equals(Buffer.from(fileName)))
    return `has another name as well: ${fileNameRaw.toString('utf8')}`;
  const local = await zip.readLocalFileHeaderPromise(entry);
  if (local.fileName.equals(fileNameRaw)) return null;
  return `has another name in front of its bytes: ${local.fileName.toString('utf8')}`;
}

/** A zip program that packs a folder anew adds entries for the folders; they hold nothing. */
function faultOfFolder(entry: Entry, files: readonly NamedEntry[]): string | null {
  const { fileName, uncompressedSize, compressedSize, externalFileAttributes, fileComment } = entry;
  const type = (externalFileAttributes >>> 16) & FILE_TYPE;
  if (uncompressedSize > 0 || compressedSize > 0) return 'is a folder that holds bytes, which no list names';
  if (type !== 0 && type !== DIRECTORY) return 'is a link or another special file under the name of a folder';
  if (fileComment !== '') return 'has a comment that nothing signs';
  if (files.some(({ entry: file }) => file.fileName.startsWith(fileName))) return null;
  return 'is an empty folder: no list names it';
}

/** Returns how many bytes of it are kept. */
async function readEntry(
  zip: ZipFile,
  entry: Entry,
  member: string,
  found: ReadPackage,
  room: number,
): Promise<number> {
  const hash = createHash('sha256');
  const chunks: Buffer[] = [];
  const isWanted = isLookedInto(member);
  const bytesMax = isOutsideTagManifest(member) ? UNSIGNED_BYTES_MAX : TEXT_BYTES_MAX;
  const isKept = isWanted && entry.uncompressedSize <= Math.min(bytesMax, room);
  if (isWanted && !isKept) {
    const fault = `has ${entry.uncompressedSize} bytes, expected at most ${Math.min(bytesMax, room)}: it was not looked into`;
    found.faults.push({ member, fault });
  }
  let sizeBytes = 0;
  try {
    for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
      hash.update(chunk);
      sizeBytes += chunk.length;
      if (isKept) chunks.push(chunk);
    }
  } catch (error) {
    found.faults.push({ member, fault: `cannot be read: ${(error as Error).message}` });
  }
  found.hashes.set(member, hash.digest('hex'));
  found.sizes.set(member, sizeBytes);
  if (!isKept) return 0;
  found.texts.set(member, Buffer.concat(chunks));
  return sizeBytes;
}

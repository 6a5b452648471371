/** A package's files as the zip holds them: each is hashed as it is read, and only what will be looked into is kept. */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
// @ts-expect-error The package brings no types; those below are ours.
import * as yauzl from 'yauzl';
import { MEMBERS } from './members.ts';

/** The part of yauzl 3 that is used here. */
interface Entry {
  fileName: string;
  uncompressedSize: number;
  /** 0: stored as it is. */
  compressionMethod: number;
  getLastModDate(): Date;
}

interface ZipFile {
  readonly entryCount: number;
  eachEntry(): AsyncIterableIterator<Entry>;
  openReadStreamPromise(entry: Entry): Promise<Readable>;
  close(): void;
}

type OpenZip = (path: string, options?: { autoClose?: boolean }) => Promise<ZipFile>;

/** Reads the list at the zip's end; entries are opened one by one. */
export const openZip: OpenZip = (yauzl as unknown as { openPromise: OpenZip }).openPromise;

export interface ReadPackage {
  /** SHA-256 by path below the package's folder. */
  hashes: Map<string, string>;
  sizes: Map<string, number>;
  /** What is small and looked into. */
  texts: Map<string, Buffer>;
  faults: Fault[];
}

/** What is wrong with which file of a package. */
export interface Fault {
  member: string;
  fault: string;
}

/** A case of the most records with thirty frames each has fewer; a zip of millions of names is no package. */
const ENTRIES_MAX = 20_000;
/** The record of a film with all its frames has some hundred kilobytes. */
const TEXT_BYTES_MAX = 32 * 1024 ** 2;
/** Of all kept texts together. */
const TEXTS_BYTES_MAX = 256 * 1024 ** 2;

/** Throws where the file is no zip at all. */
export async function readPackage(path: string): Promise<ReadPackage> {
  const zip = await openZip(path, { autoClose: false });
  try {
    const found: ReadPackage = { hashes: new Map(), sizes: new Map(), texts: new Map(), faults: [] };
    const folders = new Set<string>();
    let kept = 0;
    if (zip.entryCount > ENTRIES_MAX) {
      throw new Error(`it has ${zip.entryCount} files; a package has at most ${ENTRIES_MAX}`);
    }
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName.endsWith('/')) continue;
      const slash = entry.fileName.indexOf('/');
      folders.add(entry.fileName.slice(0, Math.max(0, slash)));
      const member = entry.fileName.slice(slash + 1);
      if (found.hashes.has(member)) {
        found.faults.push({ member, fault: 'is there twice' });
        continue;
      }
      kept += await readEntry(zip, entry, member, found, TEXTS_BYTES_MAX - kept);
    }
    if (folders.size !== 1) {
      found.faults.push({ member: 'the zip', fault: `expected one folder, found ${folders.size}` });
    }
    return found;
  } finally {
    zip.close();
  }
}

/** How many bytes of it are kept. */
async function readEntry(
  zip: ZipFile,
  entry: Entry,
  member: string,
  found: ReadPackage,
  room: number,
): Promise<number> {
  const hash = createHash('sha256');
  const chunks: Buffer[] = [];
  const isKept = isLookedInto(member) && entry.uncompressedSize <= Math.min(TEXT_BYTES_MAX, room);
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

/** Everything outside `data/`, and of it what Assay writes for programs. */
function isLookedInto(member: string): boolean {
  if (!member.startsWith('data/')) return true;
  return (
    member === MEMBERS.case ||
    /\/(?:record\.json|figures\.json|custody\.jsonl|log\/checkpoint\.txt|log\/proof\.json)$/.test(member)
  );
}

/** Finds out whether the file at a place is the judged one: by its look, then by its content. */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { WatchedFile } from '../../domain/automation/watch-folder.ts';
import { codeOf } from '../../domain/error-code.ts';
import { changeSince, toLook } from '../../machinery/file-look.ts';
import type { SafeFolder } from '../../machinery/safe-folder.ts';

export interface FoundFile {
  inode: bigint;
  mode: number;
}

/** A piece of a file that is read at once. */
const PIECE_BYTES = 256 * 1024;
/** Nothing there, a link, or a pipe without a reader. */
const NO_FILE: readonly string[] = ['ENOENT', 'ELOOP', 'ENXIO'];

/** Null for none or another one. `hash`: SHA-256 of the judged bytes. Rejects if `signal` aborted. */
export async function findJudged(
  folder: SafeFolder,
  name: string,
  { file, hash }: { file: WatchedFile; hash: string },
  signal: AbortSignal,
): Promise<FoundFile | null> {
  const opened = await folder.openFile(name).catch((error: unknown) => {
    if (NO_FILE.includes(codeOf(error))) return null;
    throw error;
  });
  if (opened === null) return null;
  await using handle = opened;
  const found = await handle.stat({ bigint: true });
  const look = toLook(found);
  if (!found.isFile() || changeSince(file, look) === 'other') return null;
  const isJudged = (await hashOf(handle, signal)) === hash;
  const after = toLook(await handle.stat({ bigint: true }));
  // A new name or mode meanwhile changes nothing.
  if (!isJudged || changeSince(look, after) === 'other') return null;
  return { inode: found.ino, mode: Number(found.mode) };
}

/** SHA-256 of a file's contents, as hex characters. Rejects if `signal` aborted. */
export async function hashOf(handle: FileHandle, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  const bytes = handle.createReadStream({ start: 0, autoClose: false, highWaterMark: PIECE_BYTES, signal });
  for await (const piece of bytes) hash.update(piece as Uint8Array);
  return hash.digest('hex');
}

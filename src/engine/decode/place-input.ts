/** Puts a file into a slot: as a hard link if a wall keeps the child from writing to it, else as a copy. */
import { constants, createReadStream, createWriteStream } from 'node:fs';
import { copyFile, link, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { codeOf } from '../../domain/error-code.ts';
import type { CopyRoom } from './copy-room.ts';

export interface InputOptions {
  /** For a stored original: reads the file at the path to its end, and throws if it is not the submitted one. */
  readWhole?: (path: string) => AsyncIterable<Uint8Array>;
  signal?: AbortSignal | undefined;
}

export interface PlacedInput extends InputOptions {
  path: string;
}

export interface PlacingRule {
  /** Whether the child gets a copy, since it could write to the file itself. */
  isCopied: boolean;
  room: CopyRoom;
}

/** Hard links fail to another disk, for another owner's file, or past the file system's bound. */
const NO_LINK: readonly unknown[] = ['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP'];
/** Few file systems share blocks between files, and none does so across disks. */
const NO_CLONE: readonly unknown[] = ['EXDEV', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL', 'ENOSYS', 'ENOTTY'];

/** Throws AppError `disk_full` if a copy has no room, ChangedOriginalError, and what the disk throws. */
export async function placeInput(
  file: PlacedInput,
  target: string,
  { isCopied, room }: PlacingRule,
): Promise<void> {
  if (!isCopied && (await isDone(link(file.path, target), NO_LINK))) return await readThrough(file, target);
  using _place = await room.take(dirname(target), (await stat(file.path)).size);
  const cloning = copyFile(file.path, target, constants.COPYFILE_FICLONE_FORCE | constants.COPYFILE_EXCL);
  // Not read from the clone, which the child may exchange for a pipe that no one writes to.
  if (await isDone(cloning, NO_CLONE)) return await readThrough(file, file.path);
  const { path, signal, readWhole = createReadStream } = file;
  const sink = createWriteStream(target, { mode: 0o600, flags: 'wx' });
  await pipeline(readWhole(path), sink, signal === undefined ? {} : { signal });
}

async function isDone(work: Promise<void>, refusals: readonly unknown[]): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (refusals.includes(codeOf(error))) return false;
    throw error;
  }
}

async function readThrough({ readWhole }: PlacedInput, path: string): Promise<void> {
  if (readWhole === undefined) return;
  for await (const _ of readWhole(path));
}

/**
 * What happens to a file whose record has ended. In an order that survives a kill at any place: the results first, under
 * their final names whole or not at all; then the file; then the row. What is done twice gives the same.
 */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { extname } from 'node:path';
import {
  DONE_FOLDER,
  SIDECAR_ENDINGS,
  type WatchedFile,
  type WatchFolder,
} from '../../domain/automation/watch-folder.ts';
import { type RecordSummary, summaryOf } from '../../domain/records/record-summary.ts';
import { codeOf, type FileLook, isSameLook, type SafeFolder, toLook } from '../../machinery/safe-folder.ts';
import type { Core } from '../core.ts';
import { readRecord } from '../records/record.ts';
import { moveFile } from './folder-check.ts';
import { toJsonSidecar, toXmpSidecar } from './sidecars.ts';

export type FinishedFile = Pick<WatchedFile, 'state' | 'reason'>;

/** Null while the record waits or runs. Throws what the file system says, and AppErrors of the record. */
export async function finishFile(
  app: Core,
  root: SafeFolder,
  { done }: Pick<WatchFolder, 'done'>,
  file: WatchedFile,
): Promise<FinishedFile | null> {
  const record = readRecord(app, file.identifier);
  if (record.status === 'new') return null;
  if (record.status === 'errored') return { state: 'failed', reason: record.errors || 'it was cancelled' };
  if (done === 'leave') return { state: 'done', reason: '' };
  const result = { summary: summaryOf(record), endedAt: record.endedAt };
  const reason =
    done === 'sidecar' ? await writeBeside(root, file, result) : await moveAway(root, file, result);
  return { state: 'done', reason };
}

interface Result {
  summary: RecordSummary;
  endedAt: number | null;
}

const GONE = 'the file was gone or changed before its result could be written beside it';

async function writeBeside(root: SafeFolder, file: WatchedFile, result: Result): Promise<string> {
  const { above, name } = splitPath(file.path);
  const opened = await openUnlessGone(root, above);
  if (opened === null) return GONE;
  await using folder = opened;
  const found = await lookAt(folder, name);
  if (found === null || !isSameLook(found, file)) return GONE;
  await writeSidecars(folder, name, found.mode, result);
  return '';
}

/** To the same place below the folder of done files. */
async function moveAway(root: SafeFolder, file: WatchedFile, result: Result): Promise<string> {
  const { above, name } = splitPath(file.path);
  const opened = await openUnlessGone(root, above);
  if (opened === null) return GONE;
  await using source = opened;
  await using target = await root.openBelow(`${DONE_FOLDER}/${above}`, true);
  const found = await lookAt(source, name);
  const names = [name, nameBeside(name, file)];
  if (found === null || !isSameLook(found, file)) {
    // A kill after the move: the file is where it belongs.
    for (const one of names) {
      const moved = await lookAt(target, one);
      if (moved !== null && isSameLook(moved, file)) return '';
    }
    return GONE;
  }
  const free = await freeName(target, names, found.inode);
  if (free === null) return `it stays: ${names.join(' and ')} are in ${DONE_FOLDER} already`;
  await writeSidecars(target, free, found.mode, result);
  // A kill between the two halves of a move left both names.
  if ((await lookAt(target, free)) === null) await moveFile(source.within(name), target.within(free));
  else await rm(source.within(name));
  await target.flush();
  await source.flush();
  return '';
}

interface FoundFile extends FileLook {
  mode: number;
  inode: bigint;
}

/** Null where there is no plain file of the name. */
async function lookAt(folder: SafeFolder, name: string): Promise<FoundFile | null> {
  try {
    const found = await lstat(folder.within(name), { bigint: true });
    return found.isFile() ? { ...toLook(found), mode: Number(found.mode), inode: found.ino } : null;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** The first that no one has, or that is the file itself already. */
async function freeName(folder: SafeFolder, names: readonly string[], inode: bigint): Promise<string | null> {
  for (const name of names) {
    const there = await lookAt(folder, name);
    if (there === null || there.inode === inode) return name;
  }
  return null;
}

/** `photo-1a2b3c4d.jpg`: the same for the same record, however often it is asked for. */
function nameBeside(name: string, { identifier }: WatchedFile): string {
  const ending = extname(name);
  return `${name.slice(0, name.length - ending.length)}-${identifier.slice(0, 8)}${ending}`;
}

async function writeSidecars(
  folder: SafeFolder,
  name: string,
  mode: number,
  { summary, endedAt }: Result,
): Promise<void> {
  await writeWhole(folder, `${name}${SIDECAR_ENDINGS.json}`, toJsonSidecar(summary, endedAt), mode);
  await writeWhole(folder, `${name}${SIDECAR_ENDINGS.xmp}`, toXmpSidecar(summary, endedAt), mode);
  await folder.flush();
}

/** Who may read the original may read what is said of it. */
const READ_WRITE_BITS = 0o666;
const OWNER_BITS = 0o600;

async function writeWhole(folder: SafeFolder, name: string, text: string, mode: number): Promise<void> {
  const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants;
  const place = createHash('sha256').update(name).digest('hex').slice(0, 16);
  const temporary = folder.within(`.assay-${place}.tmp`);
  // A kill left one.
  await rm(temporary, { force: true });
  try {
    await using file = await open(temporary, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, OWNER_BITS);
    await file.writeFile(text);
    await file.chmod((mode & READ_WRITE_BITS) | OWNER_BITS).catch(() => undefined);
    await file.sync();
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await rename(temporary, folder.within(name));
}

async function openUnlessGone(root: SafeFolder, above: string): Promise<SafeFolder | null> {
  try {
    return await root.openBelow(above);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error))) return null;
    throw error;
  }
}

function splitPath(path: string): { above: string; name: string } {
  const at = path.lastIndexOf('/');
  return at < 0 ? { above: '', name: path } : { above: path.slice(0, at), name: path.slice(at + 1) };
}

/** Finishes a file in an order that survives a kill: the results, whole or not at all; the file; the row. */
import { lstat, rm } from 'node:fs/promises';
import { summaryOf } from '../../domain/answers/record-summary.ts';
import { DONE_FOLDER, type WatchedFile, type WatchFolder } from '../../domain/automation/watch-folder.ts';
import { codeOf } from '../../domain/error-code.ts';
import type { SafeFolder } from '../../machinery/safe-folder.ts';
import type { RecordParts } from '../records/parts.ts';
import { readRecord } from '../records/record.ts';
import { type FoundFile, findJudged } from './judged-file.ts';
import { moveManifest } from './manifest-beside.ts';
import { moveFile } from './move-file.ts';
import { type Result, removeTemporaries, writeResults } from './result-files.ts';
import { nameBeside } from './result-names.ts';

export type FinishedFile = Pick<WatchedFile, 'state' | 'reason'>;

/** Null while the record waits or runs. Throws file system errors, ResultErrors, and AppErrors of the record. */
export async function finishFile(
  app: RecordParts,
  { root, done, signal }: { root: SafeFolder; signal: AbortSignal } & Pick<WatchFolder, 'done'>,
  file: WatchedFile,
): Promise<FinishedFile | null> {
  const record = readRecord(app, file.identifier);
  if (record.status === 'new') return null;
  if (record.status === 'errored') return { state: 'failed', reason: record.errors || 'it was cancelled' };
  if (done === 'leave') return { state: 'done', reason: '' };
  const summary = app.refusals.shown(file.identifier, () => summaryOf(record));
  const work = { root, file, signal, result: { summary, endedAt: record.endedAt } };
  const reason = done === 'sidecar' ? await writeBeside(work) : await moveAway(work);
  return { state: 'done', reason };
}

interface FinishWork {
  root: SafeFolder;
  file: WatchedFile;
  result: Result;
  signal: AbortSignal;
}

const GONE = 'the file was gone or changed before its result could be written beside it';

async function writeBeside({ root, file, result, signal }: FinishWork): Promise<string> {
  const { above, name } = splitPath(file.path);
  const opened = await openUnlessGone(root, above);
  if (opened === null) return GONE;
  await using folder = opened;
  const found = await findJudged(folder, name, { file, hash: result.summary.sha256 }, signal);
  if (found !== null) await writeResults(folder, name, found.mode, result);
  else await removeTemporaries(folder, name);
  return found === null ? GONE : '';
}

/** Moves the file to the same place below the folder of done files. */
async function moveAway({ root, file, result, signal }: FinishWork): Promise<string> {
  const { above, name } = splitPath(file.path);
  const opened = await openUnlessGone(root, above);
  if (opened === null) return GONE;
  await using source = opened;
  await using target = await root.openBelow(`${DONE_FOLDER}/${above}`, true);
  const judged = { file, hash: result.summary.sha256 };
  const names = [name, nameBeside(name, file.identifier)];
  const found = await findJudged(source, name, judged, signal);
  if (found === null) {
    // A kill came after the move: the file is where it belongs.
    for (const one of names) if ((await findJudged(target, one, judged, signal)) !== null) return '';
    for (const one of names) await removeTemporaries(target, one);
    return GONE;
  }
  const free = await freeName(target, names, found.inode);
  if (free === null) return `it stays: ${names.join(' and ')} are in ${DONE_FOLDER} already`;
  await writeResults(target, free, found.mode, result);
  await moveManifest({ source, name }, { target, free });
  const isMoved = await moveJudged({ source, name }, { target, free }, found);
  await target.flush();
  await source.flush();
  return isMoved ? '' : GONE;
}

/** False if another file took its place meanwhile, which stays. */
async function moveJudged(
  { source, name }: { source: SafeFolder; name: string },
  { target, free }: { target: SafeFolder; free: string },
  { inode }: FoundFile,
): Promise<boolean> {
  const [from, to] = [source.within(name), target.within(free)];
  if ((await inodeAt(to)) === inode) {
    // A kill between the two halves of a move left both names.
    if ((await inodeAt(from)) === inode) await rm(from);
    return true;
  }
  if ((await inodeAt(from)) !== inode) return false;
  await moveFile(from, to);
  return true;
}

/** Null if there is nothing. */
async function inodeAt(place: string): Promise<bigint | null> {
  try {
    return (await lstat(place, { bigint: true })).ino;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** The first free name, or the file's own. */
async function freeName(folder: SafeFolder, names: readonly string[], inode: bigint): Promise<string | null> {
  for (const name of names) {
    const there = await inodeAt(folder.within(name));
    if (there === null || there === inode) return name;
  }
  return null;
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

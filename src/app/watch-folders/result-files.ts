/** Results beside an original: whole or not at all, never over others' files. Assay's own are known by their content. */
import { type BigIntStats, constants } from 'node:fs';
import { lstat, open, rename, rm } from 'node:fs/promises';
import type { RecordSummary } from '../../domain/answers/record-summary.ts';
import { codeOf } from '../../domain/error-code.ts';
import { MICROSECONDS_PER_MS } from '../../domain/time.ts';
import type { SafeFolder } from '../../machinery/safe-folder.ts';
import { moveFile } from './move-file.ts';
import {
  isTemporaryName,
  RESULT_KINDS,
  type ResultKind,
  resultNames,
  temporaryName,
} from './result-names.ts';
import { isUnchangedJson, isUnchangedXmp, toJsonSidecar, toXmpSidecar } from './sidecars.ts';

export interface Result {
  summary: RecordSummary;
  endedAt: number | null;
}

/** A result that can never be written. */
export class ResultError extends Error {
  override readonly name = 'ResultError';
}

const FORMATS: Record<ResultKind, { write: typeof toJsonSidecar; isUnchanged: (text: string) => boolean }> = {
  json: { write: toJsonSidecar, isUnchanged: isUnchangedJson },
  xmp: { write: toXmpSidecar, isUnchanged: isUnchangedXmp },
};

/** `mode` is the original's: its readers may read its results. */
export async function writeResults(
  folder: SafeFolder,
  name: string,
  mode: number,
  { summary, endedAt }: Result,
): Promise<void> {
  for (const kind of RESULT_KINDS) {
    const temporary = folder.within(temporaryName(name, kind));
    // A kill left one.
    await rm(temporary, { force: true });
    const names = resultNames(name, kind, summary.identifier);
    const text = FORMATS[kind].write(summary, endedAt);
    if (!(await writeUnderOne(folder, names, { kind, text, mode, temporary })))
      throw new ResultError('both of its names are files of somebody else');
  }
  await folder.flush();
}

interface ResultFile {
  kind: ResultKind;
  text: string;
  mode: number;
  temporary: string;
}

async function writeUnderOne(
  folder: SafeFolder,
  names: readonly string[],
  file: ResultFile,
): Promise<boolean> {
  for (const name of names) if (await writeUnder(folder, name, file)) return true;
  return false;
}

/** False if somebody else's file has the name. */
async function writeUnder(
  folder: SafeFolder,
  name: string,
  { kind, text, mode, temporary }: ResultFile,
): Promise<boolean> {
  const place = folder.within(name);
  const there = await readResult(place);
  if (there?.text === text) return true;
  if (there !== null && (there.text === null || !FORMATS[kind].isUnchanged(there.text))) return false;
  try {
    await writeWhole(temporary, text, mode);
    if (there === null) await moveFile(temporary, place);
    else if (isSameFile(await lstat(place, { bigint: true }), there.found)) await rename(temporary, place);
    else throw Object.assign(new Error('another file came meanwhile'), { code: 'EEXIST' });
    return true;
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function isSameFile(left: BigIntStats, right: BigIntStats): boolean {
  return left.ino === right.ino && left.size === right.size && left.ctimeNs === right.ctimeNs;
}

/** More than any result has. */
const RESULT_BYTES_MAX = 1024 * 1024;

/** Null without a file; `text` is null if it cannot be a result. */
async function readResult(place: string): Promise<{ text: string | null; found: BigIntStats } | null> {
  const found = await lstat(place, { bigint: true }).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  });
  if (found === null) return null;
  if (!found.isFile() || found.size > RESULT_BYTES_MAX) return { text: null, found };
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    await using file = await open(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    return { text: await file.readFile('utf8'), found };
  } catch (error) {
    // An unreadable file is not ours.
    if (['EACCES', 'EPERM', 'ELOOP'].includes(codeOf(error))) return { text: null, found };
    throw error;
  }
}

const READ_WRITE_BITS = 0o666;
const OWNER_BITS = 0o600;

async function writeWhole(place: string, text: string, mode: number): Promise<void> {
  const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants;
  await using file = await open(place, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, OWNER_BITS);
  await file.writeFile(text);
  await file.chmod((mode & READ_WRITE_BITS) | OWNER_BITS).catch(() => undefined);
  await file.sync();
}

/** Removes temporary files of results that will not be written. */
export async function removeTemporaries(folder: SafeFolder, name: string): Promise<void> {
  for (const kind of RESULT_KINDS) {
    await rm(folder.within(temporaryName(name, kind)), { force: true }).catch(() => undefined);
  }
}

/** Younger ones may be in use: flushing a slow share takes time. */
const LEFTOVER_MS_MIN = 3_600_000;

/** Removes a half-written file, by its name and age. `now`: microseconds since 1970. */
export async function removeLeftover(folder: SafeFolder, name: string, now: number): Promise<void> {
  if (!isTemporaryName(name)) return;
  const place = folder.within(name);
  const found = await lstat(place).catch(() => null);
  if (found === null || !found.isFile() || now / MICROSECONDS_PER_MS - found.mtimeMs < LEFTOVER_MS_MIN)
    return;
  await rm(place, { force: true }).catch(() => undefined);
}

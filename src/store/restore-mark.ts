/** Marks that a restore leaves in a data folder, for the next start. */
import { access, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RestoredFrom } from './custody/custody-log.ts';
import { flushFile, flushFolder } from './space/folder.ts';

/** A folder that is no backup, or one whose description cannot be trusted. */
export class BadBackupError extends Error {
  override readonly name = 'BadBackupError';
}

/** Marks a folder in which a restore broke off, so that it is not taken for an unused one. */
export const RESTORE_MARK = 'restore.incomplete';
/** Says when and by whom the folder was restored. */
const RESTORED_MARK = 'restored.json';

/** The next start opens an epoch of the custody log with it: only a start may write to the store. */
export async function writeRestoredMark(folder: string, restored: RestoredFrom): Promise<void> {
  const path = join(folder, RESTORED_MARK);
  await writeFile(path, JSON.stringify(restored), { mode: 0o600 });
  await flushFile(path);
}

/** Undefined if the folder was not restored since the last start. A mark that is not valid JSON counts as a restore. */
export async function readRestoredMark(folder: string): Promise<RestoredFrom | undefined> {
  const text = await readFile(join(folder, RESTORED_MARK), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const { restoredAt, backupCreatedAt, operator } = JSON.parse(text) as Partial<RestoredFrom>;
    return {
      restoredAt: String(restoredAt),
      backupCreatedAt: String(backupCreatedAt),
      operator: String(operator),
    };
  } catch {
    return { restoredAt: 'unknown', backupCreatedAt: 'unknown', operator: 'unknown' };
  }
}

export async function removeRestoredMark(folder: string): Promise<void> {
  await rm(join(folder, RESTORED_MARK), { force: true });
  await flushFolder(folder);
}

/** Throws if a restore into the folder began and did not end. */
export async function assertNotHalfRestored(folder: string): Promise<void> {
  const isHalf = await access(join(folder, RESTORE_MARK)).then(
    () => true,
    () => false,
  );
  if (isHalf) {
    throw new BadBackupError(`a restore into ${folder} did not finish: empty the folder and restore again`);
  }
}

/** Renames a file without replacing another, on file systems with and without hard links. */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { link, lstat, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '../../domain/error-code.ts';

const NO_LINKS: readonly string[] = ['EPERM', 'EOPNOTSUPP', 'ENOTSUP', 'ENOSYS', 'EMLINK', 'EINVAL'];

/** Links and then removes the old name, since a rename would replace a file that came meanwhile. Rejects with EEXIST. */
export async function moveFile(from: string, to: string): Promise<void> {
  const before = await lstat(from, { bigint: true });
  try {
    await link(from, to);
  } catch (error) {
    if (!(await isWithoutLinks(codeOf(error), dirname(to)))) throw error;
    // Windows shares have no links; the caller has checked that the name is free.
    await rename(from, to);
    return;
  }
  // A file that came to the old name stays; the earlier look counts, as FUSE may number the names otherwise.
  const left = await lstat(from, { bigint: true });
  if (left.ino === before.ino && left.size === before.size && left.mtimeNs === before.mtimeNs) await rm(from);
}

/** EIO is what rclone's mounts answer to every link, and a failing disk to this one. */
async function isWithoutLinks(code: string, folder: string): Promise<boolean> {
  return code === 'EIO' ? !(await takesLinks(folder)) : NO_LINKS.includes(code);
}

/** Tried with a file of our own, flushed: if even that cannot be written, the disk fails, and its error is thrown. */
async function takesLinks(folder: string): Promise<boolean> {
  const { trial, moved } = trialIn(folder);
  try {
    await writeTrial(trial);
    await link(trial, moved);
    return true;
  } catch (error) {
    if (error instanceof Error && 'syscall' in error && error.syscall === 'link' && codeOf(error) === 'EIO')
      return false;
    throw error;
  } finally {
    for (const left of [trial, moved]) await rm(left, { force: true }).catch(() => undefined);
  }
}

/** Names of trial files, which no pass takes for media and a later one removes (result-names.ts). */
export function trialIn(folder: string): { trial: string; moved: string } {
  const trial = join(folder, `.assay-${randomBytes(8).toString('hex')}.tmp`);
  return { trial, moved: `${trial}-moved` };
}

export async function writeTrial(path: string): Promise<void> {
  const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants;
  await using file = await open(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o600);
  await file.writeFile('assay');
  await file.sync();
}

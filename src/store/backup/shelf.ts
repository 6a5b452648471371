/** The finished backups of a folder, by their names. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { MANIFEST_FILE } from './listing.ts';

/** Names of finished backups: `assay-20260730T120000.000Z`; they sort by time. */
const NAME = /^assay-\d{8}T\d{6}\.\d{3}Z$/;

/** Newest first. */
export async function listBackups(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const found: string[] = [];
  for (const name of names
    .filter((candidate) => NAME.test(candidate))
    .sort()
    .reverse()) {
    if (await isFile(join(folder, name, MANIFEST_FILE))) found.push(join(folder, name));
  }
  return found;
}

/** Removes all but the newest `keep`. Files that a kept one shares stay, since they are hard links. */
export async function removeOldBackups(folder: string, keep: number): Promise<string[]> {
  const old = (await listBackups(folder)).slice(keep);
  for (const path of old) {
    // The manifest goes first, so that a removal that breaks off leaves nothing that looks whole.
    await rm(join(path, MANIFEST_FILE), { force: true });
    await rm(path, { recursive: true, force: true });
  }
  return old;
}

export async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

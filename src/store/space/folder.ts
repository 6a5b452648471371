/** Durability of files: a renamed file is only safe once its new folder is flushed. */
import { open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from '../../domain/error-code.ts';

export async function flushFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r');
  await handle.sync();
}

export async function flushFile(path: string): Promise<void> {
  await using handle = await open(path, 'r+');
  await handle.sync();
}

/** Renames and flushes, so that the new name survives a power loss. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await rename(from, to);
  await flushFolder(dirname(to));
}

/** Does nothing if the file is not there. Faster than `rm`, which first looks twice at what it is. */
export async function removeFile(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

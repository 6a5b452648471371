/** Pictures of a folder and of those in it, by name. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

export async function listPictures(within: string): Promise<string[]> {
  const entries = await readdir(within, { recursive: true });
  return entries
    .filter((name) => /\.(jpe?g|png|webp)$/i.test(name))
    .map((name) => join(within, name))
    .sort();
}

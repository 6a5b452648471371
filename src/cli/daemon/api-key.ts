/** The key that the command line shows: ASSAY_API_KEY, else the file that the daemon's first start wrote on this box. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** Null where there is none: the daemon says whether it needs one, and whether it is there at all. */
export async function findApiKey(env: Environment): Promise<string | null> {
  const given = env.ASSAY_API_KEY?.trim();
  if (given) return given;
  try {
    return (await readFile(join(env.ASSAY_DATA_DIR || './data', 'admin.key'), 'utf8')).trim();
  } catch {
    return null;
  }
}

export function findAddress(env: Environment): string {
  return env.ASSAY_ADDRESS || '127.0.0.1:8481';
}

/** The key that the command line shows: ASSAY_API_KEY, else the file that the daemon's first start wrote on this box. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** A checkout's own data folder, then that of the service: `sudo assay doctor` works from any folder of a box. */
const DATA_FOLDERS = ['./data', '/var/lib/assay'] as const;

/** Null if there is none: the daemon says whether it needs one. */
export async function findApiKey(
  env: Environment,
  folders: readonly string[] = DATA_FOLDERS,
): Promise<string | null> {
  const given = env.ASSAY_API_KEY?.trim();
  if (given) return given;
  for (const folder of env.ASSAY_DATA_DIR ? [env.ASSAY_DATA_DIR] : folders) {
    const key = await readFile(join(folder, 'admin.key'), 'utf8').catch(() => null);
    if (key !== null) return key.trim();
  }
  return null;
}

export const findAddress = (env: Environment): string => env.ASSAY_ADDRESS || '127.0.0.1:8481';

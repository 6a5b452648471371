/** A video as it would arrive from a platform that writes it again. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ENTRY = join(import.meta.dirname, 'recompress-process.ts');
/** Clips to evaluate are seconds long, and take about as long; a file that needs this hangs. */
const RECOMPRESS_MS_MAX = 300_000;

/** Throws with what the child said. */
export async function recompress(path: string): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-recompress-'));
  try {
    const target = join(folder, 'video.mp4');
    const bounds = { timeout: RECOMPRESS_MS_MAX, killSignal: 'SIGKILL' } as const;
    await promisify(execFile)(process.execPath, [ENTRY, path, target], bounds).catch((error: Error) => {
      const said = 'stderr' in error ? String(error.stderr).trim() : '';
      throw new Error(`it could not be recompressed: ${said || error.message}`, { cause: error });
    });
    return await readFile(target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A folder of a test's own, removed at its end. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
}

export async function makeTemporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), 'assay-test-'));
  return {
    path,
    [Symbol.asyncDispose]: async () => await rm(path, { recursive: true, force: true, maxRetries: 5 }),
  };
}

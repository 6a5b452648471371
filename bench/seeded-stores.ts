/**
 * Data folders with so many finished records. A million take ten minutes to write: ASSAY_BENCH_STORES names a folder in which
 * they are kept for the next run; otherwise each is removed after its use.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Store } from '../src/store/store.ts';
import { TestDaemon } from '../test/daemon.ts';
import { seedRecords } from '../test/seeded-records.ts';

/** Older than all others: a walk from the newest meets it last. */
export const OLDEST = 'harbour at dawn.jpg';

export interface SeededStore extends AsyncDisposable {
  path: string;
}

/** Each record has its custody entries and is in all indexes; media, keypoints and transcripts it has none. */
export async function seededStore(count: number): Promise<SeededStore> {
  const shelf = process.env.ASSAY_BENCH_STORES;
  const folder = shelf ?? (await mkdtemp(join(tmpdir(), 'assay-bench-')));
  await mkdir(folder, { recursive: true });
  const path = join(folder, String(count));
  if (!existsSync(path)) await seed(path, count);
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      if (shelf === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The store gets its name once it is whole. */
async function seed(path: string, count: number): Promise<void> {
  const partial = `${path}.partial`;
  await rm(partial, { recursive: true, force: true });
  {
    // Makes the account that the records are of.
    await using _daemon = await TestDaemon.start({ folder: partial });
  }
  {
    await using store = await Store.open({ folder: partial });
    await seedRecords(store, count, (index) => ({
      name: index === 0 ? OLDEST : `picture-${index}.jpg`,
      probability: index === 0 ? 0.95 : 0.05,
    }));
  }
  await rename(partial, path);
}

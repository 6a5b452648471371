/**
 * Models that the daemon makes at its first start, made once for all tests: each has a data folder of its own, and
 * would make them again. A test that is about the making does not ask for them.
 */
import { copyFile, mkdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { convertedPath, makeModel } from '../../src/engine/packs/conversions.ts';
import { CONVERTED_PACKS } from './conversion-orders.ts';

const KEPT_FOLDER = join(tmpdir(), `assay-made-models-${process.getuid?.() ?? 0}`);

/** Lays the models into a data folder that has none. */
export async function layMadeModels(dataFolder: string): Promise<void> {
  for (const pack of CONVERTED_PACKS) {
    const target = convertedPath(pack, dataFolder);
    if (await stat(target).catch(() => null)) continue;
    const made = await makeModel(pack, KEPT_FOLDER);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await copyFile(made, target);
  }
}

/** Checks of the shipped models, kept between tests' daemons: a start that makes all takes three times as long. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

const SHARED = join(import.meta.dirname, '..', 'node_modules', '.cache', 'assay-test-checks.json');
const inFolder = (dataFolder: string): string => join(dataFolder, 'cache', 'model-checks.json');

/** Lays it into a data folder that has none. */
export function layModelChecks(dataFolder: string): void {
  const path = inFolder(dataFolder);
  if (existsSync(path) || !existsSync(SHARED)) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  copyFileSync(SHARED, path);
}

/** Keeps what a daemon, which began with what was laid, knows now. Test files run at the same time: the last one wins. */
export function keepModelChecks(dataFolder: string): void {
  const path = inFolder(dataFolder);
  if (!existsSync(path) || (existsSync(SHARED) && readFileSync(path).equals(readFileSync(SHARED)))) return;
  const partial = `${SHARED}.${process.pid}`;
  mkdirSync(dirname(SHARED), { recursive: true });
  copyFileSync(path, partial);
  try {
    renameSync(partial, SHARED);
  } finally {
    rmSync(partial, { force: true });
  }
}

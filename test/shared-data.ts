/** Collected media beside the checkout (`../shared/data`, or ASSAY_SHARED). Tests that need it say so and are skipped. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const SHARED_FOLDER = resolve(process.env.ASSAY_SHARED ?? join(import.meta.dirname, '../../shared'));

/** Path of a file or folder of the collection. */
export function sharedData(...segments: string[]): string {
  return join(SHARED_FOLDER, 'data', ...segments);
}

/** For `node:test`'s `skip` option: false where the folder is there, else the reason. */
export function skipWithoutSharedData(folder: string): string | false {
  const path = sharedData(folder);
  return existsSync(path) ? false : `the media collection is not there (${path})`;
}

/** Where the program lies (sources, models, packages, what a release brings along), and in which form it runs. */
import { dirname, join, resolve } from 'node:path';

/** Two levels above this file, both in `src/machinery` and in a bundle's `build/<name>`. */
export const PROGRAM_FOLDER = resolve(import.meta.dirname, '../..');

/** The bundle that this code is part of; null if it runs from its sources. */
export const BUNDLE_FOLDER = import.meta.filename.endsWith('.ts') ? null : dirname(import.meta.filename);

const CHILD_SOURCES = {
  decode: 'src/worker/decode.ts',
  inference: 'src/worker/inference.ts',
  pdf: 'src/evidence/report/pdf-child.ts',
} as const;

/** Arguments that start a child process in the form in which the daemon itself runs. */
export function childEntry(name: keyof typeof CHILD_SOURCES): { flags: readonly string[]; path: string } {
  if (BUNDLE_FOLDER !== null)
    return { flags: ['--enable-source-maps'], path: join(BUNDLE_FOLDER, `${name}.js`) };
  return { flags: [], path: join(PROGRAM_FOLDER, CHILD_SOURCES[name]) };
}

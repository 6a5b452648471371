/** Where the program lies: sources, models, packages and what a release brings along; and in which form it runs. */
import { dirname, join, resolve } from 'node:path';

/** Two levels above this file, as a source in `src/machinery` and as a part of a bundle in `build/<name>`. */
export const PROGRAM_FOLDER = resolve(import.meta.dirname, '../..');

/** The bundle that this code is a part of; null if it runs from its sources. */
export const BUNDLE_FOLDER = import.meta.filename.endsWith('.ts') ? null : dirname(import.meta.filename);

/** Where the sources of child processes lie. */
const CHILD_SOURCES = {
  decode: 'src/worker/decode.ts',
  inference: 'src/worker/inference.ts',
  pdf: 'src/evidence/report/pdf-child.ts',
} as const;

/** What a child process of the program is started with: in the form in which the daemon itself runs. */
export function childEntry(name: keyof typeof CHILD_SOURCES): { flags: readonly string[]; path: string } {
  if (BUNDLE_FOLDER !== null)
    return { flags: ['--enable-source-maps'], path: join(BUNDLE_FOLDER, `${name}.js`) };
  return { flags: [], path: join(PROGRAM_FOLDER, CHILD_SOURCES[name]) };
}

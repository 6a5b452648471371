/** Prints the manual page to docs/assay.1; a test holds that it is what the commands say. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readManual } from './read-manual.ts';

writeFileSync(join(import.meta.dirname, '..', 'docs', 'assay.1'), await readManual());

/** Where the program lies: sources, models, packages and what a release brings along. */
import { resolve } from 'node:path';

export const PROGRAM_FOLDER = resolve(import.meta.dirname, '../..');

/**
 * `npm run build`: the program of this checkout as a few files, from which it starts sooner as long as no source changes. What
 * packages bring for other systems goes from node_modules; `npm ci` brings it back.
 */
import { relative, resolve } from 'node:path';
import { BUILD_FOLDER } from '../src/built-program.ts';
import { removeForeign } from './packages.ts';
import { bundleProgram } from './program-bundle.ts';

const ROOT = resolve(import.meta.dirname, '..');
const startedAt = performance.now();
const folder = await bundleProgram({ root: ROOT, out: BUILD_FOLDER, isBound: true });
await removeForeign(ROOT);
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
process.stdout.write(`${relative(ROOT, folder)}, ${seconds} s\n`);

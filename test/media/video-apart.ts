/** Videos made in another process: SVT-AV1, run by root, gives the calling thread real-time priority for good. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { makeVideo, type VideoRecipe } from './make-media.ts';

const BYTES_MAX = 64 * 1024 ** 2;
const THIS_FILE = join(import.meta.dirname, 'video-apart.ts');

const ALTERS_ITS_THREAD = 'libsvtav1';

/** By any encoder; the calling process stays as it was. */
export function makeVideoByAny(recipe: VideoRecipe): Buffer {
  return recipe.codec === ALTERS_ITS_THREAD ? makeVideoApart(recipe) : makeVideo(recipe);
}

/** The recipe holds no function. */
function makeVideoApart(recipe: VideoRecipe): Buffer {
  return execFileSync(process.execPath, [THIS_FILE, JSON.stringify(recipe)], {
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: BYTES_MAX,
  });
}

if (import.meta.main) process.stdout.write(makeVideo(JSON.parse(process.argv[2] ?? '{}')));

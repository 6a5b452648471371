/**
 * Videos that are made in a process of their own. SVT-AV1, run by root, gives the thread that calls it real-time priority for good:
 * that and all that it starts then come before everything else on the box.
 */
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

/**
 * Entry of a daemon that serves one evaluation: it ends when its input does, so that an evaluation that is killed
 * leaves neither a process nor a folder behind. Its argument is the folder to remove.
 */
import { rm } from 'node:fs/promises';
import { serve } from '../src/main.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('expected the folder that is removed at the end, found nothing');
process.stdin.resume();
process.stdin.once('close', () => process.kill(process.pid, 'SIGTERM'));
try {
  await serve([]);
} finally {
  process.stdin.destroy();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

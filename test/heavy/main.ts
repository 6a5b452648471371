/** `npm run test:heavy [-- samples]`: each heavy run, or those whose path holds a word, in a bounded process of its own. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const RUNS = [
  { file: 'two-hundred.ts', minutesMax: 12 },
  { file: 'big-uploads.ts', minutesMax: 10 },
  { file: 'clients.ts', minutesMax: 5 },
  { file: 'slow-uploads.ts', minutesMax: 5 },
  { file: 'looks/slow-looks.ts', minutesMax: 5 },
  { file: 'many-records.ts', minutesMax: 10 },
  { file: 'store/growth.ts', minutesMax: 40 },
  { file: 'store/lock-races.ts', minutesMax: 20 },
  { file: 'killed-daemons.ts', minutesMax: 15 },
  { file: 'store/flipped-rows.ts', minutesMax: 15 },
  { file: 'watch-folder.ts', minutesMax: 15 },
  { file: 'simulator/faults.ts', minutesMax: 30 },
  { file: 'simulator/histories.ts', minutesMax: 300 },
  { file: 'custody-kills.ts', minutesMax: 15 },
  { file: 'killed-exports.ts', minutesMax: 60 },
  { file: 'workers/kills.ts', minutesMax: 30 },
  { file: 'workers/partition.ts', minutesMax: 15 },
  { file: 'release.ts', minutesMax: 10 },
  { file: 'package/main.ts', minutesMax: 60 },
  { file: 'booted/main.ts', minutesMax: 60 },
  { file: 'image.ts', minutesMax: 30 },
  { file: 'observed/main.ts', minutesMax: 30 },
  { file: 'examples.ts', minutesMax: 10 },
  { file: 'foreign/main.ts', minutesMax: 15 },
  { file: 'conformance.ts', minutesMax: 15 },
  { file: 'watermarks.ts', minutesMax: 15 },
  { file: 'samples/file-facts.ts', minutesMax: 15 },
  { file: 'samples/main.ts', minutesMax: 60 },
  { file: 'fuzzing/manifests.ts', minutesMax: 10 },
  { file: 'fuzzing/fallen-decoders.ts', minutesMax: 60 },
] as const;

const words = process.argv.slice(2);
const wanted = RUNS.filter(({ file }) => words.length === 0 || words.some((word) => file.includes(word)));
if (wanted.length === 0) throw new Error(`no heavy run has ${words.join(' or ')} in its path`);

for (const { file, minutesMax } of wanted) {
  process.stdout.write(`— ${file}\n`);
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, file)], {
    stdio: 'inherit',
    timeout: minutesMax * 60_000,
  });
  if (status === 0) continue;
  process.stderr.write(`${file}: ${status === null ? `not done after ${minutesMax} minutes` : 'missed'}\n`);
  process.exitCode = 1;
}

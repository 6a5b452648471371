/** Which test files a run takes, and where it leaves its times. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');
/** Where they lie as modules of a bundle (built-tests.ts). */
export const BUILT_TESTS = join(ROOT, 'build', 'tests');
/** Channel of the seconds that a daemon took from spawn to ready. */
export const DAEMON_STARTED = 'assay-test-daemon-started';
/** Channel of the name of a test file that shares its process, when its tests begin. */
export const FILE_BEGAN = 'assay-test-file-began';
export const TIMES_FILE = join(ROOT, 'node_modules', '.cache', 'assay-test-times.jsonl');

/** A file that imports one of these, at any depth within `test/`, starts processes, models or thousands of histories. */
const SLOW =
  /^(node:child_process|playwright.*|test\/(daemon|page|simulator|faults|models)\b.*|src\/(compose|worker\/|engine\/(inference|executors|engine\.ts)).*)$/;

/** The slowest (`npm run test:times`), most of their time at work. Begun last, one of them would run alone at the end of a run. */
export const SLOWEST = [
  'test/page/desk.test.ts',
  'test/faults/flipped-bytes.test.ts',
  'test/engine/remote/workers.test.ts',
  'test/simulator/histories.test.ts',
  'test/page/accessibility.test.ts',
  'test/faults/killed-daemons.test.ts',
  'test/page/renditions.test.ts',
  'test/contract/transcripts.test.ts',
  'test/contract/transcripts-by-channel.test.ts',
  'test/app/callers/lost-standing.test.ts',
  'test/evaluate/folds.test.ts',
  'test/page/operating.test.ts',
  'test/worker/gpu.test.ts',
  'test/models/parity-daemon.test.ts',
  'test/page/long-list.test.ts',
  'test/contract/tentative.test.ts',
  'test/store/growth.test.ts',
  'test/models/parity.test.ts',
  'test/models/metadata-confounds.test.ts',
  'test/worker/transcription/transcription.test.ts',
];

/** Wait for clocks of the daemon most of their time: they run beside the others, whose cores they leave alone. */
const WAITING = [
  'test/faults/slow-uploads.test.ts',
  'test/faults/clients.test.ts',
  'test/faults/held-open.test.ts',
  'test/faults/frozen-probes.test.ts',
  'test/faults/sigterm.test.ts',
  'test/app/watch-folders/watch-folders.test.ts',
];

/** All tests; the slowest are begun first. */
export function allTests(): string[] {
  const tests = globSync('test/**/*.test.ts', { cwd: ROOT }).sort();
  const slowest = SLOWEST.filter((file) => tests.includes(file));
  return [...slowest, ...tests.filter((file) => !slowest.includes(file))];
}

export const isWaiting = (file: string): boolean => WAITING.includes(file);

/** Tests that need no process of their own: seconds in all. */
export function quickTests(): string[] {
  return allTests().filter((file) => ![...importsBelow(file, new Set())].some((name) => SLOW.test(name)));
}

/** What the file imports; files of `test/` with what they import themselves. */
function importsBelow(file: string, found: Set<string>): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  const text = readFileSync(join(ROOT, file), 'utf8');
  for (const [, specifier = ''] of text.matchAll(/^(?:import|\}|export)[^'\n]*'([^']+)';$/gm)) {
    const name = specifier.startsWith('.') ? normalize(join(dirname(file), specifier)) : specifier;
    // A test may write a program that imports what is not here.
    if (name.startsWith('test/') && existsSync(join(ROOT, name))) importsBelow(name, found);
    else found.add(name);
  }
  return found;
}

/** The test file of what runs, built or not. */
export function sourceOfTest(path: string): string {
  if (!path.startsWith(BUILT_TESTS)) return relative(ROOT, path);
  return relative(BUILT_TESTS, path).replace(/\.js$/, '.ts');
}

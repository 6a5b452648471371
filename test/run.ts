/**
 * `npm test`: every check that a change must pass, cheapest first; the test runner comes last and closes the output.
 * `--quick`: format, types and the tests that start no process, for the time between two edits. `--at-once N`: so many files.
 *
 * Invariant: printed and generated files agree with the code.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { buildTests, namingSources } from './runner/built-tests.ts';
import { allTests, quickTests, ROOT as root, TIMES_FILE } from './runner/run-files.ts';

const { values, positionals } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    /** Files wait for half of their time; more than eight at once would be short of memory. */
    'at-once': { type: 'string', default: String(Math.min(availableParallelism() + 2, 8)) },
  },
  allowPositionals: true,
});
const tool = (name: string): string => join(root, 'node_modules', '.bin', name);
const cache = (name: string): string => join(root, 'node_modules', '.cache', name);

interface Check {
  name: string;
  command: string;
  args: string[];
  folder?: string;
}

const checks: Check[] = [
  { name: 'format and lint', command: tool('biome'), args: ['ci', '--error-on-warnings'] },
  { name: 'types', command: tool('tsc'), args: ['--noEmit'] },
  {
    name: 'types of the page',
    command: tool('tsc'),
    args: ['--noEmit', '-p', 'page'],
  },
  { name: 'proto lint', command: tool('buf'), args: ['lint'], folder: 'proto' },
  {
    name: 'proto breaking',
    command: tool('buf'),
    args: ['breaking', '--against', 'released.binpb'],
    folder: 'proto',
  },
  // Daemons start from this, in half of the time, and so do the children of those in a test's own process.
  { name: 'bundle', command: process.execPath, args: ['packaging/build.ts'] },
];

/** Types are looked at again only where something changed. */
const quickChecks: Check[] = [
  { name: 'format and lint', command: tool('biome'), args: ['ci', '--error-on-warnings'] },
  {
    name: 'types',
    command: tool('tsc'),
    args: ['--noEmit', '--incremental', '--tsBuildInfoFile', cache('assay-types.tsbuildinfo')],
  },
];

for (const { name, command, args, folder = '.' } of values.quick ? quickChecks : checks) {
  process.stdout.write(`— ${name}\n`);
  const { status } = spawnSync(command, args, { cwd: join(root, folder), stdio: 'inherit' });
  if (status !== 0) fail(name, status);
}

process.stdout.write('— tests\n');
const whole = values.quick ? quickTests : allTests;
const tests = positionals.length > 0 ? positionals : whole();
// A few files start sooner than all of them are built.
const isBuilt = !values.quick && positionals.length === 0;
const files = isBuilt ? await buildTests(tests) : tests.map((file) => resolve(root, file));
const TEST_TIMEOUT_MS = 300_000;
rmSync(TIMES_FILE, { force: true });
mkdirSync(dirname(TIMES_FILE), { recursive: true });
Object.assign(process.env, {
  // Hundreds of processes read the same sources: stripped of their types and compiled once, not in each of them.
  NODE_COMPILE_CACHE: cache('assay-tests'),
  ASSAY_TEST_TIMES: TIMES_FILE,
  // Some tests open models in their own process, where no one else keeps ONNX Runtime from calling its maker.
  ORT_DISABLE_TELEMETRY: '1',
});
// `node --test` would sort the files by their names.
const results = run({
  files,
  concurrency: Number(values['at-once']),
  timeout: TEST_TIMEOUT_MS,
  execArgv: ['--import', join(import.meta.dirname, 'runner', 'times.ts')],
});
results.on('test:fail', ({ details: { error } }) => {
  process.exitCode = 1;
  for (let at: unknown = error; at instanceof Error; at = at.cause)
    if (at.stack !== undefined) Object.defineProperty(at, 'stack', { value: namingSources(at.stack) });
});
results.compose(new spec()).pipe(process.stdout);

function fail(name: string, status: number | null): never {
  process.stderr.write(`${name} failed (exit ${status})\n`);
  process.exit(1);
}

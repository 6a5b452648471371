/**
 * `npm test`: every check that a change must pass. Format and the bundle come first, the others run beside the tests; the slowest files and what failed are said last.
 * `--quick`: format, types and the tests that start no process, for the time between two edits. `--at-once N`: so many files.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildTests } from './runner/built-tests.ts';
import { printTimes } from './runner/print-times.ts';
import { allTests, isWaiting, quickTests, ROOT as root, TIMES_FILE } from './runner/run-files.ts';
import { runLanes } from './runner/run-lanes.ts';
import { shareProcesses, writeSharedProcess } from './runner/shared-processes.ts';

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

const FORMAT: Check = {
  name: 'format and lint',
  command: tool('biome'),
  args: ['ci', '--error-on-warnings'],
};
// Daemons start from this, in half of the time, and so do the children of those in a test's own process.
const BUNDLE: Check = { name: 'bundle', command: process.execPath, args: ['packaging/build.ts'] };
const types = (name: string, buildInfo: string, ...project: string[]): Check => ({
  name,
  command: tool('tsc'),
  // Only what changed is checked again.
  args: ['--noEmit', '--incremental', '--tsBuildInfoFile', cache(buildInfo), ...project],
});
const TYPES = types('types', 'assay-types.tsbuildinfo');
/** No test waits for them: they fill the time in which tests wait for something else. */
const BESIDE: readonly Check[] = [
  TYPES,
  types('types of the page', 'assay-page.tsbuildinfo', '-p', 'page'),
  { name: 'proto lint', command: tool('buf'), args: ['lint'], folder: 'proto' },
  {
    name: 'proto breaking',
    command: tool('buf'),
    args: ['breaking', '--against', 'released.binpb'],
    folder: 'proto',
  },
];

for (const { name, command, args, folder = '.' } of values.quick ? [BUNDLE] : [FORMAT, BUNDLE]) {
  process.stdout.write(`— ${name}\n`);
  const { status } = spawnSync(command, args, { cwd: join(root, folder), stdio: 'inherit' });
  if (status !== 0) fail(name, status);
}
const beside = runBeside(values.quick ? [FORMAT, TYPES] : BESIDE);

process.stdout.write('— tests\n');
const whole = values.quick ? quickTests : allTests;
const tests = positionals.length > 0 ? positionals : whole();
// A few files start sooner than all of them are built.
const isBuilt = positionals.length === 0;
const files = isBuilt ? await buildAll() : tests.map((test) => ({ test, path: resolve(root, test) }));
/** A process of eight files, such as the page’s, takes minutes on a busy box. */
const TEST_TIMEOUT_MS = 1_200_000;
/** Beside the others, of those that wait for clocks. */
const WAITING_AT_ONCE = 2;
rmSync(TIMES_FILE, { force: true });
mkdirSync(dirname(TIMES_FILE), { recursive: true });
Object.assign(process.env, {
  // Hundreds of processes read the same sources: stripped of their types and compiled once, not in each of them.
  NODE_COMPILE_CACHE: cache('assay-tests'),
  ASSAY_TEST_TIMES: TIMES_FILE,
  // Some tests open models in their own process, where no one else keeps ONNX Runtime from calling its maker.
  ORT_DISABLE_TELEMETRY: '1',
});
const pathsOf = (isOfLane: (test: string) => boolean): string[] =>
  files.filter(({ test }) => isOfLane(test)).map(({ path }) => path);
const isGood = await runLanes(
  [
    { files: pathsOf((test) => !isWaiting(test)), atOnce: Number(values['at-once']) },
    { files: pathsOf(isWaiting), atOnce: WAITING_AT_ONCE },
  ],
  { timeoutMs: TEST_TIMEOUT_MS, execArgv: ['--import', join(import.meta.dirname, 'runner', 'times.ts')] },
);
const failed = [...(await beside), ...(isGood ? [] : ['tests'])];
printTimes();
for (const name of failed) process.stderr.write(`${name} failed\n`);
if (failed.length > 0) process.exitCode = 1;

/** What is run, in the order of the tests; of those that share a process, at the place of the first. */
async function buildAll(): Promise<{ test: string; path: string }[]> {
  const built = await buildTests(tests);
  const shared = shareProcesses(tests);
  const paths = new Map(shared.map((process) => [process.files[0], writeSharedProcess(process)]));
  const later = new Set(shared.flatMap(({ files }) => files.slice(1)));
  return tests.flatMap((test, at) =>
    later.has(test) ? [] : [{ test, path: paths.get(test) ?? built[at] ?? '' }],
  );
}

/** Runs the checks one after another and prints each when it has ended. Returns the names of those that failed. */
async function runBeside(checks: readonly Check[]): Promise<string[]> {
  const failures: string[] = [];
  for (const { name, command, args, folder = '.' } of checks) {
    const child = spawn(command, args, { cwd: join(root, folder), stdio: ['ignore', 'pipe', 'pipe'] });
    const said: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => said.push(bytes));
    const [status] = await once(child, 'close');
    process.stdout.write(`— ${name}\n${Buffer.concat(said)}`);
    if (status !== 0) failures.push(name);
  }
  return failures;
}

function fail(name: string, status: number | null): never {
  process.stderr.write(`${name} failed (exit ${status})\n`);
  process.exit(1);
}

/** `npm test`: every check that a change must pass, cheapest first; the test runner comes last and closes the output. */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const tool = (name: string): string => join(root, 'node_modules', '.bin', name);

const checks: { name: string; command: string; args: string[]; folder?: string }[] = [
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
];

for (const { name, command, args, folder = '.' } of checks) {
  process.stdout.write(`— ${name}\n`);
  const { status } = spawnSync(command, args, { cwd: join(root, folder), stdio: 'inherit' });
  if (status !== 0) fail(name, status);
}

process.stdout.write('— tests\n');
const files = process.argv.slice(2);
const tests = files.length > 0 ? files : globSync('test/**/*.test.ts', { cwd: root }).sort();
const runner = ['--test', '--test-reporter=spec', '--test-concurrency=3', '--test-timeout=300000', ...tests];
// Hundreds of processes read the same sources: stripped of their types and compiled once, not in each of them.
const env = {
  ...process.env,
  NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'assay-tests'),
  // Some tests open models in their own process, where no one else keeps ONNX Runtime from calling its maker.
  ORT_DISABLE_TELEMETRY: '1',
};
const { status } = spawnSync(process.execPath, runner, { cwd: root, stdio: 'inherit', env });
process.exitCode = status ?? 1;

function fail(name: string, status: number | null): never {
  process.stderr.write(`${name} failed (exit ${status})\n`);
  process.exit(1);
}

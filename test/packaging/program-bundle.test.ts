import { equal, match, notEqual, ok } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempDisposableSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { bundleProgram } from '../../packaging/program-bundle.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Printed by whatever code runs, with the file that it stands in. */
const PROBE = `\nprocess.stderr.write(\`runs from \${import.meta.filename}\\n\`);\n`;

const folder = mkdtempDisposableSync(join(tmpdir(), 'assay-bundle-'));
const program = folder.path;
const COMPILED = join(program, 'build/code');
after(() => folder.remove());

let bundle = '';
before(async () => {
  for (const name of ['src', 'page']) cpSync(join(ROOT, name), join(program, name), { recursive: true });
  for (const name of ['package.json', 'node_modules']) symlinkSync(join(ROOT, name), join(program, name));
  appendFileSync(join(program, 'src/cli/program.ts'), PROBE);
  bundle = await bundleProgram({ root: program, out: join(program, 'build'), isBound: true });
});

test('the command runs from the bundle, and its faults name lines of sources', () => {
  const said = runCommand('version');
  equal(said.stdout, `assay ${versionOf(program)} (Node ${process.versions.node})\n`);
  match(said.stderr, new RegExp(`runs from ${bundle}/`));
  equal(runCommand('--version').stdout, said.stdout);
  ok(existsSync(COMPILED), 'a checkout keeps compiled code beside its bundle');
  const script = join(program, 'fault.mjs');
  writeFileSync(
    script,
    `import { loadProgram } from './src/built-program.ts';
    const { serve } = await loadProgram('serve', () => { throw new Error('expected a bundle'); });
    process.umask = () => { throw new Error('planted'); };
    await serve([]).catch((error) => process.stdout.write(error.stack));`,
  );
  const { stdout } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
  match(stdout, /planted[\s\S]*src\/serve\.ts:\d+/);
});

test('a report is laid out by the bundle', () => {
  const report = { title: 'Case 7', language: 'en', blocks: [], footer: '{page} of {pages}' };
  const input = JSON.stringify({ report, pictures: [] });
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(bundle, 'pdf.js')], { input });
  equal(status, 0, String(stderr));
  equal(stdout.toString('latin1', 0, 5), '%PDF-');
});

test('the same sources make the same bytes', async () => {
  const again = await bundleProgram({ root: program, out: join(program, 'build'), isBound: true });
  equal(again, bundle);
});

test('a source that changed counts at once; a bundle that is bound to none counts always', async () => {
  const path = join(program, 'src/domain/version.ts');
  const before = readFileSync(path, 'utf8');
  writeFileSync(path, before.replace(/'\d[^']*'/, `'77.0.0'`));
  notEqual(readFileSync(path, 'utf8'), before);
  const said = runCommand('version');
  match(said.stdout, /^assay 77\.0\.0 /);
  match(said.stderr, /runs from .*src\/cli\/program\.ts/);
  const built = JSON.parse(readFileSync(join(program, 'build/built.json'), 'utf8'));
  ok(built.sources.length > 500, `${built.sources.length} sources`);
  rmSync(COMPILED, { recursive: true, force: true });
  writeFileSync(join(program, 'build/built.json'), JSON.stringify({ ...built, sources: [] }));
  match(runCommand('version').stderr, new RegExp(`runs from ${bundle}/`));
  ok(!existsSync(COMPILED), 'a release stays as its list of checksums has it');
});

function runCommand(...args: string[]): { stdout: string; stderr: string } {
  const entry = join(program, 'src/cli/main.ts');
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  const { stdout, stderr, status } = spawnSync(process.execPath, [entry, ...args], { encoding: 'utf8', env });
  equal(status, 0, stderr);
  return { stdout, stderr };
}

function versionOf(root: string): string {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
}

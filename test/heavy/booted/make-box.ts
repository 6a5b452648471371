/** A booted system with the package in it, set up as its administrator would: TLS, an address of its own, the unit enabled. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Suite } from '../package/chroot.ts';
import { makeSystemOf } from '../package/suites.ts';
import { BOX_ADDRESS, Box, type BoxOrder } from './box.ts';
import { Desk } from './desk.ts';

/** For a boot by systemd, decoders behind their wall, and a daemon whose clock can be set. */
const BOOTED = ['systemd-sysv', 'libpam-systemd', 'dbus', 'udev', 'iproute2', 'bubblewrap', 'libfaketime'];
const DATA_BYTES = 4 * 1024 ** 3;
const START_SECONDS_MAX = 600;
/** The command line on the box: it speaks to the daemon by TLS, and finds the key by itself. */
export const CLI = { ASSAY_ADDRESS: 'https://localhost:8481', ASSAY_CA_FILE: '/etc/assay/tls/cert.pem' };
/** The same as one line of a shell, a program that others can start. */
export const COMMAND = `env ${Object.entries(CLI)
  .map(([name, value]) => `${name}=${value}`)
  .join(' ')} assay`;

const settingsAt = (address: string) => `public_url = "https://${address}:8480"
[http]
listen = "0.0.0.0:8480"
[tls]
cert_file = "/etc/assay/tls/cert.pem"
key_file = "/run/credentials/assay.service/tls.key"
`;
const DROP_IN = `[Service]
LoadCredential=tls.key:/etc/assay/credentials/tls.key
`;

/** A bare system, made once: `base` is kept and used again where it is there. */
export async function makeBase(suite: Suite, base: string, besides: readonly string[] = []): Promise<void> {
  if (existsSync(join(base, 'usr/lib/systemd/systemd'))) return;
  await mkdir(base, { recursive: true });
  try {
    await makeSystemOf(suite, base, [...BOOTED, ...besides]);
  } catch (error) {
    // Half a system would be taken for a whole one.
    await rm(base, { recursive: true, force: true });
    throw error;
  }
}

/** `address` is one of the network's, `name` the box's own, `dataFolder` where its disk is. */
export async function makeBox(
  folder: string,
  base: string,
  who: Pick<BoxOrder, 'name' | 'address' | 'dataFolder'> = {},
): Promise<Box> {
  return await Box.make({ folder, base, dataBytes: DATA_BYTES, ...who });
}

/** Boots it and installs the package without a network; no unit is started. */
export async function install(box: Box, packagePath: string): Promise<void> {
  copyFileSync(packagePath, join(box.system, 'root/assay.deb'));
  await box.boot();
  // An administrator would wait for the disk; here the time goes to other things.
  box.must('apt-get install --yes -o Dpkg::Options::=--force-unsafe-io /root/assay.deb');
}

/** Installs it, starts the unit with these settings besides, and waits until the desk is answered. */
export async function setUp(box: Box, packagePath: string, settings = ''): Promise<Desk> {
  await install(box, packagePath);
  const desk = new Desk(BOX_ADDRESS, await laySettings(box.system, BOX_ADDRESS, settings));
  box.must('systemctl daemon-reload');
  box.must('systemctl enable --now assay');
  try {
    await desk.awaitReady(START_SECONDS_MAX);
  } catch (error) {
    process.stdout.write(
      box.run('systemctl status assay; journalctl --unit=assay --lines=30 --no-pager').text,
    );
    throw error;
  }
  desk.key = readFileSync(join(box.data, 'admin.key'), 'utf8').trim();
  return desk;
}

/** Settings, certificate and key of a box at this address, in a system where the package lies; returns the certificate. */
export async function laySettings(system: string, address: string, settings = ''): Promise<string> {
  await writeFile(join(system, 'etc/assay/assay.toml'), `${settingsAt(address)}${settings}`);
  await layDropIn(system, 'tls', DROP_IN);
  return await layTls(system, address);
}

/** What `systemctl edit` writes. */
export async function addDropIn(box: Box, name: string, text: string, unit = 'assay'): Promise<void> {
  await layDropIn(box.system, name, text, unit);
  box.must('systemctl daemon-reload');
}

export async function layDropIn(system: string, name: string, text: string, unit = 'assay'): Promise<void> {
  const folder = join(system, `etc/systemd/system/${unit}.service.d`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.conf`), text);
}

async function layTls(system: string, address: string): Promise<string> {
  const names = `subjectAltName=IP:${address},DNS:localhost`;
  const folder = join(system, 'etc/assay');
  await mkdir(join(folder, 'tls'));
  const [key, cert] = [join(folder, 'credentials/tls.key'), join(folder, 'tls/cert.pem')];
  const made = ['req', '-x509', '-newkey', 'ed25519', '-nodes', '-days', '2', '-subj', '/CN=box'];
  execFileSync('openssl', [...made, '-addext', names, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  return readFileSync(cert, 'utf8');
}

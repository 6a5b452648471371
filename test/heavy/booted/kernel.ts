/**
 * A box with a kernel of its own, by qemu: AppArmor, clients of NFS and SMB, the clock, a power cut.
 * kernel.ts --package FILE [--suite trixie|noble] [--base FOLDER]. Needs root, mmdebstrap, qemu-system-x86,
 * ssh and a mirror. Tiny models stand in, since every instruction is computed. Exit code 1 where a step
 * misses.
 */

import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeTinyPacks } from '../../interface/packs.ts';
import { runIn } from '../package/chroot.ts';
import { suiteOf } from '../package/suites.ts';
import { Desk, picture } from './desk.ts';
import { MACHINE_ADDRESS, Machine, STARTED_BY_QEMU } from './machine.ts';
import { COMMAND, layDropIn, laySettings, makeBase } from './make-box.ts';
import { openNetwork } from './network.ts';
import { playSteps, timed } from './session.ts';
import { FILES, SHARES, shared } from './shares.ts';
import { doctor, judged } from './steps.ts';

const NEEDED = ['/usr/bin/mmdebstrap', '/usr/bin/qemu-system-x86_64', '/usr/bin/ssh'];
const SERVERS = ['nfs-kernel-server', 'nfs-common', 'samba', 'cifs-utils'];
/** What each suite calls its smallest kernel; Ubuntu's lacks the client of SMB. */
const KERNELS = { trixie: ['linux-image-cloud-amd64', ...SERVERS], noble: ['linux-image-virtual'] } as const;
const READY_SECONDS_MAX = 900;
const JUDGED_SECONDS_MAX = 300;
const SUBMISSIONS = 40;
const CUT_AFTER = 20;
const DAY_SECONDS = 86_400;
/** The models that come with Assay take minutes a picture here, and a decoder its time to come up. */
const SETTINGS = `
[probe]
timeout_ms = 300000
[models]
folders = ["/srv/models"]
[analysis]
stability = false
`;

type Step = (machine: Machine, desk: Desk) => Promise<void>;

const EVERYWHERE: readonly (readonly [string, Step])[] = [
  ['AppArmor knows the profile, and the runtime is under it', profile],
  ['doctor finds nothing bad', doctor],
  ['a photograph is judged from outside', judged],
];
const LAST: readonly (readonly [string, Step])[] = [
  ['the clock of the box goes back a day, and forward', clockBack],
  [`the power is cut amid ${SUBMISSIONS} submissions`, powerCut],
];
const STEPS = {
  trixie: [
    ...EVERYWHERE,
    ['a folder over NFS, its server away for a minute', (machine, desk) => shared(machine, desk, 'nfs')],
    ['a folder over SMB, its server away for a minute', (machine, desk) => shared(machine, desk, 'smb')],
    ...LAST,
  ],
  noble: [...EVERYWHERE, ['other programs get no user namespace', namespaces], ...LAST],
} as const satisfies Record<keyof typeof KERNELS, readonly (readonly [string, Step])[]>;

async function profile(machine: Machine): Promise<void> {
  process.stdout.write(`  ${machine.must('uname -r')}`);
  match(machine.must('cat /sys/kernel/security/apparmor/profiles'), /^assay \(unconfined\)$/m);
  match(machine.must('cat /proc/$(systemctl show --property=MainPID --value assay)/attr/current'), /^assay/);
}

/** Ubuntu's own rule, without which the profile would not be needed. */
async function namespaces(machine: Machine): Promise<void> {
  equal(machine.must('cat /proc/sys/kernel/apparmor_restrict_unprivileged_userns').trim(), '1');
  const asUser =
    'setpriv --reuid=nobody --regid=nogroup --clear-groups bwrap --ro-bind / / --unshare-all true';
  equal(machine.run(asUser).status === 0, false, 'bubblewrap of another program made a user namespace');
}

/** The command line is asked when the clock is right again: a day back the box's certificate was not valid yet. */
async function clockBack(machine: Machine, desk: Desk): Promise<void> {
  for (const seconds of [-DAY_SECONDS, DAY_SECONDS]) {
    machine.must(`date --set=@$(( $(date +%s) + ${seconds} ))`);
    const id = await desk.accepted(await picture(seconds < 0 ? 300 : 301));
    equal((await desk.awaitEnded(id, JUDGED_SECONDS_MAX)).status, 'done');
  }
  match(machine.must(`${COMMAND} custody verify`), /whole/i);
}

async function powerCut(machine: Machine, desk: Desk): Promise<void> {
  const accepted: string[] = [];
  for (let number = 0; number < SUBMISSIONS && accepted.length < CUT_AFTER; number++)
    accepted.push(await desk.accepted(await picture(600 + number)));
  // Sent and not awaited: they are on their way when the power goes.
  const under = [...Array(SUBMISSIONS - CUT_AFTER).keys()].map(async (number) => {
    const answer = await desk.submit(await picture(700 + number)).catch(() => null);
    if (answer?.status === 200) accepted.push(answer.text);
  });
  await Promise.race(under);
  await machine.cutPower();
  await Promise.all(under);
  await machine.boot();
  await desk.awaitReady(READY_SECONDS_MAX);
  const lost: string[] = [];
  for (const id of accepted) if ((await desk.ask(`/api/classification/${id}`)).status !== 200) lost.push(id);
  deepEqual(lost, [], `${lost.length} of ${accepted.length} accepted submissions are lost`);
  for (const id of accepted) equal((await desk.awaitEnded(id, JUDGED_SECONDS_MAX)).status, 'done', id);
  process.stdout.write(`  ${accepted.length} accepted before the cut, ${lost.length} lost\n`);
  match(machine.must(`${COMMAND} custody verify`), /whole/i);
}

/** The package is installed before the boot: computed, that would take an hour. */
async function prepare(
  folder: string,
  base: string,
  packagePath: string,
): Promise<{ machine: Machine; ca: string }> {
  const system = join(folder, 'system');
  cpSync(base, system, { recursive: true, verbatimSymlinks: true });
  copyFileSync(packagePath, join(system, 'root/assay.deb'));
  const installed = runIn(
    system,
    'apt-get install --yes -o Dpkg::Options::=--force-unsafe-io /root/assay.deb',
  );
  ok(installed.status === 0, installed.text.slice(-4000));
  await rm(join(system, 'root/assay.deb'));
  const ca = await laySettings(system, MACHINE_ADDRESS, SETTINGS);
  await writeTinyPacks(join(system, 'srv/models'));
  // The daemon reads them as its own user.
  execFileSync('chmod', ['-R', 'a+rX', join(system, 'srv/models')]);
  const lines = ['ReadWritePaths=/srv', 'Environment=ASSAY_WATCH_ROOTS=/srv'];
  await layDropIn(system, 'watched', `[Service]\n${lines.join('\n')}\n`);
  await mkdir(join(system, 'root/pictures'));
  for (const [offset, kind] of Object.keys(SHARES).entries())
    for (let index = 0; index < FILES; index++)
      await writeFile(
        join(system, `root/pictures/${kind}-${index}.jpg`),
        await picture(20 + FILES * offset + index),
      );
  const machine = await Machine.make(folder, system);
  await rm(system, { recursive: true });
  return { machine, ca };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      package: { type: 'string' },
      suite: { type: 'string', default: 'trixie' },
      base: { type: 'string' },
    },
  });
  if (process.getuid?.() !== 0 || !NEEDED.every((program) => existsSync(program)))
    return void process.stdout.write(`skipped: root starts the box with ${NEEDED.join(', ')}\n`);
  const { suite } = values;
  if (suite !== 'trixie' && suite !== 'noble')
    throw new Error(`--suite: expected trixie or noble, found ${suite}`);
  if (values.package === undefined) throw new Error('--package: expected the file of a package');
  const packagePath = values.package;
  const folder = await mkdtemp(join(tmpdir(), 'assay-kernel-'));
  try {
    const base = values.base ?? join(folder, 'base');
    await timed('bare system', () => makeBase(suiteOf(suite), base, [...KERNELS[suite], ...STARTED_BY_QEMU]));
    using _network = openNetwork();
    const { machine: made, ca } = await timed('installed', () => prepare(folder, base, packagePath));
    await using machine = made;
    await timed('booted', () => machine.boot());
    machine.must('systemctl enable --now assay');
    const desk = new Desk(MACHINE_ADDRESS, ca);
    await timed('ready', () => desk.awaitReady(READY_SECONDS_MAX));
    desk.key = machine.must('cat /var/lib/assay/admin.key').trim();
    await playSteps(machine, desk, STEPS[suite]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

await main();

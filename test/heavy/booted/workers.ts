/**
 * Three booted boxes: a front without slots and two workers by their unit, with TLS. One is lost amid work,
 * and all three are upgraded. workers.ts [--package FILE] [--base FOLDER]. Needs what main.ts needs, and
 * nats-server.
 */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Box } from './box.ts';
import { BROKER_NAME, NatsHost } from './broker.ts';
import { type Desk, picture, until } from './desk.ts';
import { addDropIn, CLI, install, makeBox } from './make-box.ts';
import { HERE, NETWORK } from './network.ts';
import { runInBox, timed } from './session.ts';

const NAMES = ['w1', 'w2'] as const;
const READY_SECONDS_MAX = 300;
const JUDGED_SECONDS_MAX = 300;
const PICTURES = 4;
/** So many that the one whose power is cut is still at work when the list shows it so. */
const PICTURES_AMID = 16;
const NEXT = '99.0.0';
const MEDIA_PORT = 8482;
const WORKER_DATA = '/var/lib/assay-worker';
const INSTALL =
  'apt-get install --yes -o Dpkg::Options::=--force-confold -o Dpkg::Options::=--force-unsafe-io';
const KEY = '/etc/assay/credentials/nats.nkey_seed';
const LAST_LINES = "journalctl --unit='assay*' --lines=25 --no-pager --output=cat";

interface Listed {
  name: string;
  here?: boolean;
  done?: string;
  running?: number;
  refusal?: string;
}

async function layBroker(box: Box, broker: NatsHost, user: string): Promise<string> {
  const tls = join(box.system, 'etc/assay/tls');
  await mkdir(tls, { recursive: true });
  copyFileSync(broker.certificate, join(tls, 'broker.pem'));
  appendFileSync(join(box.system, 'etc/hosts'), `${HERE} ${BROKER_NAME}\n`);
  await writeFile(join(box.system, KEY), broker.seedOf(user), { mode: 0o600 });
  return `[nats]\nservers = ["${broker.address}"]\nca_file = "/etc/assay/tls/broker.pem"\n`;
}

/** The daemon of `box` becomes a front: it judges nothing by itself. */
async function makeFront(box: Box, desk: Desk, broker: NatsHost): Promise<void> {
  const nats = await layBroker(box, broker, 'daemon');
  const listener = `listen = "0.0.0.0:${MEDIA_PORT}"\nmedia_url = "https://${box.address}:${MEDIA_PORT}"\nlease_seconds = 5\n`;
  const settings = `cat >>/etc/assay/assay.toml <<'END'\n${nats}[workers]\n${listener}[queue]\nrunning_max = 0\nEND`;
  box.must(settings);
  await addDropIn(box, 'nats', `[Service]\nLoadCredential=nats.nkey_seed:${KEY}\n`);
  const { status } = box.run('systemctl restart assay');
  equal(status, 0, box.run('journalctl --unit=assay --lines=20 --no-pager').text);
  await desk.awaitReady(READY_SECONDS_MAX);
}

async function startWorker(box: Box, packagePath: string, broker: NatsHost): Promise<void> {
  await install(box, packagePath);
  await writeFile(join(box.system, 'etc/assay/assay.toml'), await layBroker(box, broker, box.name));
  box.must('systemctl enable --now assay-worker');
}

function listed(front: Box): Listed[] {
  const lines = front.must('assay worker list --json', CLI).trim().split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Listed);
}

/** Who takes work, and why the others do not. */
async function awaitTaking(front: Box, taking: readonly string[]): Promise<Listed[]> {
  let last: Listed[] = [];
  return await until(`${taking} take work`, READY_SECONDS_MAX, async () => {
    last = listed(front);
    const now = last.filter(({ here, refusal }) => here === true && !refusal).map(({ name }) => name);
    return now.sort().join() === taking.join() ? last : null;
  }).catch((error: unknown) => {
    throw new Error(`listed: ${JSON.stringify(last)}`, { cause: error });
  });
}

/** It is of another version than the front, which gives it nothing and says so. */
async function awaitOutdated(front: Box, worker: string): Promise<void> {
  await until(`${worker} waits for the front`, READY_SECONDS_MAX, async () => {
    const found = listed(front).find(({ name, here }) => name === worker && here === true);
    return /version/.test(found?.refusal ?? '') ? true : null;
  });
}

async function send(desk: Desk, from: number, count = PICTURES): Promise<string[]> {
  const numbers = Array.from({ length: count }, (_, index) => from + index);
  return await Promise.all(numbers.map(async (number) => desk.accepted(await picture(number))));
}

async function awaitDone(desk: Desk, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const { status, errors } = await desk.awaitEnded(id, JUDGED_SECONDS_MAX);
    equal(status, 'done', `${id}: ${JSON.stringify(errors)}`);
  }
}

async function judge(front: Box, desk: Desk, boxes: readonly Box[]): Promise<void> {
  await awaitDone(desk, await send(desk, 0));
  equal(
    listed(front).reduce((sum, { done }) => sum + Number(done ?? 0), 0),
    PICTURES,
  );
  match(front.must('assay doctor', CLI), /^good +broker/m);
  // At least one box has decoded, and its decoders run under bubblewrap.
  const look = "grep --text --quiet '^bwrap' /proc/[0-9]*/cmdline";
  ok(boxes.some((box) => box.run(look).status === 0));
}

async function lose(front: Box, desk: Desk, box: Box): Promise<void> {
  const ids = await send(desk, 200, PICTURES_AMID);
  const had = await until(`${box.name} is at work`, JUDGED_SECONDS_MAX, async () => {
    const running = listed(front).find(({ name }) => name === box.name)?.running ?? 0;
    return running > 0 ? running : null;
  });
  await box.cutPower();
  process.stdout.write(`  ${box.name} had ${had} of ${ids.length} when its power was cut\n`);
  await awaitDone(desk, ids);
  await box.boot();
  await awaitTaking(front, NAMES);
}

/** At each step one of both takes work, and the other waits for the version of the front. */
async function upgradeOneByOne(front: Box, desk: Desk, boxes: readonly Box[]): Promise<void> {
  const [first, second] = boxes;
  const kept = await send(desk, 40);
  first?.must(`${INSTALL} /root/newer.deb`);
  await awaitOutdated(front, 'w1');
  await awaitTaking(front, ['w2']);
  await awaitDone(desk, await send(desk, 60));
  front.must(`${INSTALL} /root/newer.deb`);
  await desk.awaitReady(READY_SECONDS_MAX);
  await awaitOutdated(front, 'w2');
  await awaitTaking(front, ['w1']);
  await awaitDone(desk, await send(desk, 80));
  second?.must(`${INSTALL} /root/newer.deb`);
  await awaitTaking(front, NAMES);
  await awaitDone(desk, [...kept, ...(await send(desk, 100))]);
  match(front.must('assay custody verify', CLI), /whole/i);
}

/** A copy of the program with the next version, whose workers get no work from this front. */
function nextOf(packagePath: string, folder: string): string {
  const [tree, next] = [join(folder, 'next'), join(folder, 'next.deb')];
  execFileSync('dpkg-deb', ['--raw-extract', packagePath, tree]);
  const program = join(tree, 'opt/assay');
  const { version } = JSON.parse(readFileSync(join(program, 'package.json'), 'utf8')) as { version: string };
  const control = join(tree, 'DEBIAN/control');
  writeFileSync(control, readFileSync(control, 'utf8').replace(/^(Version: )\S+/m, `$1${NEXT}`));
  const find = ['--recursive', '--files-with-matches', '--exclude-dir=node_modules', '--include=*.[jt]s'];
  const named = `VERSION = ['"]${version}['"]`;
  const files = execFileSync('grep', [...find, named, program], { encoding: 'utf8' })
    .trim()
    .split('\n');
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(new RegExp(`(VERSION = ['"])${version}`), `$1${NEXT}`));
  }
  execFileSync('dpkg-deb', ['--build', '-Znone', tree, next], { stdio: 'ignore' });
  return next;
}

async function play(front: Box, desk: Desk, workers: readonly Box[]): Promise<void> {
  await timed('both take work', () => awaitTaking(front, NAMES));
  await timed('they judge', () => judge(front, desk, workers));
  const [lost] = workers;
  if (lost !== undefined) await timed('one loses its power amid work', () => lose(front, desk, lost));
  await timed('upgraded one by one', () => upgradeOneByOne(front, desk, workers));
  for (const box of workers) {
    const lines = box.must('journalctl --unit=assay-worker --no-pager --output=cat').split('\n');
    deepEqual(
      lines.filter((line) => /"level":(?:50|60)/.test(line)),
      [],
      box.name,
    );
  }
}

await runInBox({ needsOlder: false }, async ({ folder, base, box: front, desk, newer }) => {
  await using broker = await NatsHost.start(join(folder, 'broker'), NAMES);
  await makeFront(front, desk, broker);
  await using stack = new AsyncDisposableStack();
  const workers: Box[] = [];
  for (const [index, name] of NAMES.entries()) {
    const place = join(folder, name);
    await mkdir(place);
    const who = { name, address: `${NETWORK}.${10 + index}`, dataFolder: WORKER_DATA };
    const box = stack.use(await makeBox(place, base, who));
    await timed(`${name}: booted, installed, started`, () => startWorker(box, newer, broker));
    workers.push(box);
  }
  const next = await timed('the next version', async () => nextOf(newer, folder));
  for (const box of [front, ...workers]) copyFileSync(next, join(box.system, 'root/newer.deb'));
  try {
    await play(front, desk, workers);
  } catch (error) {
    for (const box of [front, ...workers]) process.stdout.write(`${box.name}:\n${box.run(LAST_LINES).text}`);
    throw error;
  }
});

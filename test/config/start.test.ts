/** A start with ten faulty settings ends before anything is opened, and reports all ten with line and expectation. */
import { deepEqual, equal, match } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { SettingsError } from '../../src/config/settings-error.ts';
import { describeStartFailure } from '../../src/domain/operator-fault.ts';
import { firstStartNotice, modelsNotice } from '../../src/first-start-notice.ts';
import { FolderInUseError } from '../../src/store/lock.ts';
import { TestDaemon } from '../daemon.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

test('a first start says once how weak the models are, and which command adds a stronger one', async () => {
  await using folder = await makeTemporaryFolder();
  const start = async (): Promise<string> => {
    await using daemon = await TestDaemon.start({ folder: folder.path, awaitReady: false });
    return daemon.said.join('\n');
  };
  const said = await start();
  match(
    said,
    /First start: .*mail is not sent and lies in \S+\/mail .*weak evidence.*assay models add sieve/s,
  );
  equal(await start(), '');
  match(modelsNotice([]), /state no measured error rates\n.*assay models add sieve/s);

  // The notice has the figures that README.md states first.
  const readme = await readFile(join(import.meta.dirname, '../../README.md'), 'utf8');
  const set = /^\| (outside harvest, a third photographs, .*?) \|/m.exec(readme)?.[1] ?? '';
  // The rows below the one that names the set name none.
  const [first = '', ...further] = readme.slice(readme.indexOf(set)).split('\n');
  const rows = [
    first,
    ...further.slice(
      0,
      further.findIndex((line) => !line.startsWith('|  |')),
    ),
  ].map((line) => /\| (?:–|0\.\d+) \| (\d+) % \/ (\d+) %/.exec(line) ?? []);
  const [alarms, found] = [1, 2].map((column) => rows.map((row) => Number(row[column])));
  const range = (shares: number[] = []) => [...new Set([Math.min(...shares), Math.max(...shares)])].join('–');
  const sentence = `${range(alarms)} of 100 by people accused, ${range(found)} of 100 artificial ones found (${set})`;
  equal(said.includes(`Assay vision transformer: ${sentence}`), true, `${sentence}: ${said}`);
});

test('output that is no terminal gets the way to the administrator’s key, or nothing if a setting gave it', async () => {
  for (const [given, shown] of [
    ['', /API key in \S+\/admin\.key/],
    [`assay_${'5e'.repeat(32)}`, /API key as set by admin\.api_key/],
  ] as const) {
    await using folder = await makeTemporaryFolder();
    const env = { ASSAY_ADMIN_API_KEY: given };
    await using daemon = await TestDaemon.start({ folder: folder.path, awaitReady: false, env });
    const said = daemon.said.join('\n');
    match(said, shown);
    const key = (await readFile(join(folder.path, 'admin.key'), 'utf8')).trim();
    equal(said.includes(key) || said.includes('token='), false, said);
  }
});

test('a terminal gets the secrets; a journal or a container’s log, which others read, the ways to them', () => {
  const key = `assay_${'5e'.repeat(32)}`;
  const link = 'http://127.0.0.1:8480/set-password?token=secret';
  const facts = {
    key,
    url: 'http://127.0.0.1:8480',
    passwordLink: link,
    adminEmail: 'admin@example.org',
    mailFolder: null,
  };
  const notice = (isTerminal: boolean) =>
    firstStartNotice({ ...facts, keyFile: '/var/lib/assay/admin.key', isTerminal });
  const kept = notice(false);
  equal(kept.includes(key) || kept.includes('token='), false, kept);
  match(kept, /API key in \/var\/lib\/assay\/admin\.key\n.*\n.*'assay user reset admin@example\.org'/);
  const shown = notice(true);
  equal(shown.includes(key) && shown.includes(link), true, shown);
});

test('a fault that the operator can repair is a sentence; any other error shows where it happened', () => {
  equal(describeStartFailure(new SettingsError([])), new SettingsError([]).message);
  equal(describeStartFailure(new FolderInUseError('the data folder is in use')), 'the data folder is in use');
  const taken = Object.assign(new Error('listen EADDRINUSE'), { code: 'EADDRINUSE', syscall: 'listen' });
  equal(describeStartFailure(taken), 'listen EADDRINUSE');
  for (const error of [new TypeError('x is undefined'), new RangeError('no such row'), new Error('a bug')]) {
    match(describeStartFailure(error), /at .*start\.test\.[jt]s:\d+/);
  }
});

const ROOT = join(import.meta.dirname, '..', '..');
const FAULTY = `disk_free_min = "lots"
public_url = "assay"
[http]
listen = "everywhere"
[log]
level = "loud"
[queue]
max = 0
[decode]
slots = 1.5
isolation = "maybe"
[inference]
providers = ["abacus"]
[fetch]
allow_networks = ["10.0.0.0"]
[backup]
kept = 3
`;
const EXPECTED: readonly [string, number, RegExp][] = [
  ['disk_free_min', 1, /a size in bytes/],
  ['public_url', 2, /an address like/],
  ['http.listen', 4, /host:port/],
  ['log.level', 6, /one of trace/],
  ['queue.max', 8, /a whole number from 1/],
  ['decode.slots', 10, /a whole number from 1/],
  ['decode.isolation', 11, /one of auto, require/],
  ['inference.providers', 13, /tensorrt, cuda/],
  ['fetch.allow_networks', 15, /networks like/],
  ['backup.kept', 17, /a known setting, found an unknown one \(did you mean backup\.keep\?\)/],
];

test('ten faults in one file are reported at once, each with its line', async () => {
  await using folder = await makeTemporaryFolder();
  const config = join(folder.path, 'assay.toml');
  await writeFile(config, FAULTY);
  const env = { ASSAY_DATA_DIR: join(folder.path, 'data') };
  for (const command of [
    [join(ROOT, 'src', 'main.ts'), '--config', config],
    [join(ROOT, 'src', 'cli', 'main.ts'), 'check-config', '--config', config],
  ]) {
    const { status, stdout, stderr } = spawnSync(process.execPath, command, { env, encoding: 'utf8' });
    equal(status, 1, stderr);
    equal(stdout, '');
    match(stderr, /the settings have 10 faults:/);
    const lines = stderr.split('\n').filter((line) => line.startsWith('  '));
    deepEqual(lines.length, EXPECTED.length);
    for (const [key, line, expectation] of EXPECTED) {
      const fault = lines.find((text) => text.includes(`${key} (assay.toml line ${line}): expected `)) ?? '';
      match(fault, expectation, `${key}: ${stderr}`);
    }
  }
  equal(existsSync(env.ASSAY_DATA_DIR), false);
});

test('--explain says of every setting what it does, what it takes and where it comes from', async () => {
  await using folder = await makeTemporaryFolder();
  const config = join(folder.path, 'assay.toml');
  await writeFile(config, '[queue]\nmax = 5\n');
  const command = [join(ROOT, 'src', 'cli', 'main.ts'), 'check-config', '--explain', '--config', config];
  const { stdout, stderr } = spawnSync(process.execPath, command, {
    env: { ASSAY_ADMIN_API_KEY: 'a-key-that-hides' },
    encoding: 'utf8',
  });
  match(stdout, /queue\.max = 5/, stderr);
  match(stdout, /assay\.toml line 2/);
  match(stdout, /Analyses that may wait/);
  match(stdout, /ASSAY_QUEUE_MAX/);
  equal(stdout.includes('a-key-that-hides'), false);
});

test('config explain says of one setting what it is, and which lines of which file change it', async () => {
  await using folder = await makeTemporaryFolder();
  const config = join(folder.path, 'assay.toml');
  await writeFile(
    config,
    '[watch]\nroots = ["/srv/a", "/srv/b"]\n[mail]\nsmtp_url = "smtp://me:secret@mail"\n',
  );
  const explain = (name: string, ...more: string[]) =>
    spawnSync(process.execPath, [join(ROOT, 'src', 'cli', 'main.ts'), 'config', 'explain', name, ...more], {
      env: {},
      encoding: 'utf8',
    });
  const set = explain('watch.roots', '--config', config);
  match(set.stdout, /^watch\.roots = \/srv\/a, \/srv\/b {3}\(assay\.toml line 2\)\n/, set.stderr);
  equal(set.stdout.includes(`write into ${config} and start`), true);
  match(set.stdout, /\n {4}\[watch\]\n {4}roots = \["\/srv\/a","\/srv\/b"\]\n/);
  const unset = explain('backup.dir');
  match(
    unset.stdout,
    /backup\.dir = \(nothing\) .*\(default\)[\s\S]*--config FILE[\s\S]*dir = "\/var\/backups\/assay"/,
  );
  const secret = explain('mail.smtp_url', '--config', config, '--json');
  equal(secret.stdout.includes('secret'), false);
  match(
    (JSON.parse(secret.stdout) as { lines: string }).lines,
    /^\[mail\]\nsmtp_url = "smtp:\/\/user:password@/,
  );
  const mistyped = explain('backup.dri');
  equal(mistyped.status, 2);
  match(mistyped.stderr, /did you mean backup\.dir\?/);
});

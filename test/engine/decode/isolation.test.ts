/** A decode child sees no network, file or secret; where the kernel has Landlock it reaches its slot alone at every level. */
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { link, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { NICENESS } from '../../../src/engine/children/lower-priority.ts';
import {
  type ChildCommand,
  decodeCommand,
  describeIsolation,
  detectIsolation,
  faultOfIsolation,
  findIsolations,
  ISOLATION_LEVELS,
  type Isolation,
  reachOf,
} from '../../../src/engine/decode/isolation.ts';
import { BOUNDS, openBareSlot } from '../../media/decode-fixture.ts';
import { PATIENCE_MS } from '../../patience.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';

async function makeSlotFolder(folder: string): Promise<string> {
  const slotFolder = join(folder, 'jobs', '1');
  await mkdir(join(slotFolder, 'in'), { recursive: true });
  await mkdir(join(slotFolder, 'out'), { recursive: true });
  return slotFolder;
}

/** Replaces the child's entry by a script and returns what it prints. */
async function runInside({ file, args, cwd, env }: ChildCommand, script: string): Promise<string> {
  const inside = [...args.slice(0, -1), '--input-type=module', '--eval', script];
  return (await promisify(execFile)(file, inside, { cwd, env, timeout: PATIENCE_MS })).stdout;
}

async function possibleIsolations(folder: string): Promise<Isolation[]> {
  const found = await Array.fromAsync(findIsolations(join(folder, 'trial'), folder));
  return [...found, ...found.slice(-1).map((bare): Isolation => ({ ...bare, limiter: 'shell' }))];
}

/** The walls alone, as on a kernel without filters. */
async function possibleWalls(folder: string): Promise<Isolation[]> {
  return (await possibleIsolations(folder)).map((isolation) => ({ ...isolation, kernel: null }));
}

test('a trial names one of the known levels and leaves nothing behind', async () => {
  await using folder = await makeTemporaryFolder();
  const trial = join(folder.path, 'trial');
  assert.ok(ISOLATION_LEVELS.includes((await detectIsolation(trial, folder.path)).level));
  await assert.rejects(readFile(trial), { code: 'ENOENT' });
});

test('a child yields to the daemon at every level, with all that walls it in', async () => {
  await using folder = await makeTemporaryFolder();
  const slotFolder = await makeSlotFolder(folder.path);
  for (const isolation of await possibleIsolations(folder.path)) {
    const command = decodeCommand(isolation, slotFolder, BOUNDS);
    const niceness = await runInside(
      command,
      "import { getPriority } from 'node:os'; console.log(getPriority());",
    );
    assert.equal(
      Number(niceness),
      Math.min(getPriority() + NICENESS, 19),
      `${isolation.level}, ${isolation.limiter}`,
    );
  }
});

test('the environment is written out at every level', async () => {
  process.env.ASSAY_ADMIN_API_KEY = 'secret-of-the-test';
  await using folder = await makeTemporaryFolder();
  const slotFolder = await makeSlotFolder(folder.path);
  for (const isolation of await possibleIsolations(folder.path)) {
    const command = decodeCommand(isolation, slotFolder, BOUNDS);
    const names = await runInside(command, 'console.log(Object.keys(process.env).join())');
    const expected = [
      'GLIBC_TUNABLES',
      'LANG',
      'MALLOC_ARENA_MAX',
      'PATH',
      'PWD',
      '_',
      'OLDPWD',
      'SHLVL',
      'TMPDIR',
    ];
    const strange = names
      .trim()
      .split(',')
      .filter((name) => !expected.includes(name));
    assert.deepEqual(strange, [], isolation.level);
  }
});

test('a running decode child does not hold the admin key', async () => {
  process.env.ASSAY_ADMIN_API_KEY = 'secret-of-the-test';
  await using folder = await makeTemporaryFolder();
  await using slot = await openBareSlot(folder.path);
  const environment = await readFile(`/proc/${slot.pid}/environ`, 'latin1');
  assert.match(environment, /LANG=/);
  assert.doesNotMatch(environment, /ASSAY|secret-of-the-test/);
});

test('bounds hold at every level', async () => {
  await using folder = await makeTemporaryFolder();
  const slotFolder = await makeSlotFolder(folder.path);
  const bounds = { memoryBytesMax: 512 * 1024 ** 2, fileBytesMax: 4096 };
  const script = `
    import { writeFileSync } from 'node:fs';
    process.on('SIGXFSZ', () => {});
    let memory = 'held', file = 'held';
    try { const it = Buffer.alloc(900 * 1024 ** 2, 1); memory = 'free ' + it.length; } catch {}
    try { writeFileSync('out/large', Buffer.alloc(100_000)); file = 'free'; } catch {}
    console.log(memory + ', ' + file);`;
  for (const isolation of await possibleIsolations(folder.path)) {
    const said = await runInside(decodeCommand(isolation, slotFolder, bounds), script).catch(
      () => 'held, held',
    );
    assert.equal(said.trim(), 'held, held', `${isolation.level}, ${isolation.limiter}`);
  }
});

test('behind bubblewrap there is the slot, the runtime and nothing else', async (context) => {
  await using folder = await makeTemporaryFolder();
  const [isolation] = await possibleWalls(folder.path);
  if (isolation?.level !== 'bubblewrap') return context.skip(`this machine gives: ${isolation?.level}`);
  const slotFolder = await makeSlotFolder(folder.path);
  await writeFile(join(folder.path, 'records'), 'of the data folder');
  await writeFile(join(slotFolder, 'in', 'input'), 'upload');
  const script = `
    import { existsSync, readFileSync, writeFileSync } from 'node:fs';
    import { networkInterfaces } from 'node:os';
    const attempt = (work) => { try { return work(); } catch (error) { return error.code; } };
    console.log(JSON.stringify({
      cwd: process.cwd(),
      input: readFileSync('in/input', 'utf8'),
      overwrite: attempt(() => writeFileSync('in/input', 'x')),
      create: attempt(() => writeFileSync('in/other', 'x')),
      output: attempt(() => writeFileSync('out/made', 'x')) ?? 'written',
      data: existsSync(${JSON.stringify(folder.path)} + '/records'),
      home: existsSync('/home') || existsSync('/root') || existsSync('/etc/passwd'),
      sources: attempt(() => writeFileSync(${JSON.stringify(join(import.meta.dirname, '../../../package.json'))}, 'x')),
      otherRooms: existsSync(${JSON.stringify(join(import.meta.dirname, '../../../src/store'))}),
      networks: Object.keys(networkInterfaces()).filter((name) => name !== 'lo'),
      processes: existsSync('/proc'),
    }));`;
  const said = JSON.parse(await runInside(decodeCommand(isolation, slotFolder, BOUNDS), script));
  assert.deepEqual(said, {
    ...{ cwd: '/slot', input: 'upload', overwrite: 'EROFS', create: 'EROFS', output: 'written' },
    ...{ data: false, home: false, sources: 'EROFS', otherRooms: false, networks: [], processes: false },
  });
  assert.equal(await readFile(join(slotFolder, 'out', 'made'), 'utf8'), 'x');
});

/** What a fallen decoder would try: to write the original by the paths that lead to it, and to lift what covers it. */
const ASSAULT = (original: string) => `
  import { spawnSync } from 'node:child_process';
  import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
  const original = ${JSON.stringify(original)};
  const data = original.slice(0, original.indexOf('/blobs/'));
  const attempt = (work) => { try { work(); return 'done'; } catch (error) { return error.code; } };
  const run = (file, ...args) => spawnSync(file, args, { encoding: 'utf8' }).status;
  const own = ['unshare', '--user', '--mount', '--'];
  console.log(JSON.stringify({
    input: attempt(() => { chmodSync('in/input', 0o600); writeFileSync('in/input', 'changed'); }),
    blob: attempt(() => writeFileSync(original, 'changed')),
    daemon: attempt(() => writeFileSync('/proc/${process.pid}/root' + original, 'changed')),
    lifted: [run('umount', data), run('umount', '-l', data), run('mount', '-o', 'remount,bind,rw', 'in'),
      run(...own, 'umount', '-l', data), run(...own, 'mount', '-o', 'remount,bind,rw', process.cwd() + '/in')]
      .some((status) => status === 0),
    output: attempt(() => writeFileSync('out/made', 'x')),
    seen: existsSync(data) ? readdirSync(data) : [],
    cwd: process.cwd(),
  }));`;

test('what covers the data folder shows the slot alone and cannot be lifted', async (context) => {
  await using folder = await makeTemporaryFolder();
  const found = await possibleWalls(folder.path);
  const covering = found.filter(({ coveredFolder }) => coveredFolder !== null);
  if (covering.length === 0) return context.skip('this machine mounts nothing for this user');
  const slotFolder = await makeSlotFolder(folder.path);
  const original = join(folder.path, 'blobs', 'original');
  await mkdir(join(folder.path, 'blobs'));
  await writeFile(original, 'as submitted');
  await link(original, join(slotFolder, 'in', 'input'));
  for (const isolation of covering) {
    const command = decodeCommand(isolation, slotFolder, BOUNDS);
    const { input, blob, daemon, ...rest } = JSON.parse(await runInside(command, ASSAULT(original)));
    assert.deepEqual(rest, { lifted: false, output: 'done', seen: ['jobs'], cwd: slotFolder });
    for (const outcome of [input, blob, daemon]) assert.notEqual(outcome, 'done');
    assert.equal(await readFile(original, 'utf8'), 'as submitted');
    assert.equal(await readFile(join(slotFolder, 'out', 'made'), 'utf8'), 'x');
  }
});

/** What a fallen decoder would try beside its files; each says how it was refused, or `done`. */
const BREAKOUT = (folder: string, pid: number) => `
  import { spawnSync } from 'node:child_process';
  import * as fs from 'node:fs';
  import { connect } from 'node:net';
  import { setPriority } from 'node:os';
  import { once } from 'node:events';
  const folder = ${JSON.stringify(folder)};
  const attempt = (work) => { try { work(); return 'done'; } catch (error) { return error.code; } };
  const reach = (...to) => once(connect(...to), 'connect').then(() => 'done', (error) => error.code);
  fs.writeFileSync('out/made', 'x');
  const secret = folder + '/secret';
  console.log(JSON.stringify({
    read: attempt(() => fs.readFileSync(secret)),
    list: attempt(() => fs.readdirSync(folder)),
    settings: attempt(() => fs.readFileSync('/etc/passwd')),
    write: attempt(() => fs.writeFileSync(secret, '')),
    truncate: attempt(() => fs.truncateSync(secret)),
    mode: attempt(() => fs.chmodSync(secret, 0o777)),
    input: attempt(() => fs.writeFileSync('in/input', 'x')),
    moved: attempt(() => fs.renameSync('out', 'elsewhere')),
    hardLink: attempt(() => fs.linkSync('in/input', 'out/second')),
    link: attempt(() => fs.symlinkSync(secret, 'out/link')),
    through: attempt(() => fs.readFileSync('/proc/${pid}/root' + secret)),
    environment: attempt(() => fs.readFileSync('/proc/${pid}/environ')),
    signal: attempt(() => process.kill(${pid}, 0)),
    group: attempt(() => process.kill(0, 0)),
    priority: attempt(() => setPriority(${pid}, 19)),
    program: spawnSync('/bin/true').error?.code ?? 'done',
    socket: await reach(folder + '/socket'),
    abstract: await reach('\\0assay-test-${pid}'),
    loopback: await reach(9, '127.0.0.1'),
  }));`;

test('root runs no decoder that reaches more than its slot, unless the operator says so', () => {
  const found = {
    level: 'limits only',
    limiter: 'shell',
    unshareFlags: null,
    coveredFolder: null,
    kernel: null,
  } as const;
  const covered = { ...found, level: 'no network and limits', coveredFolder: '/data' } as const;
  const filtered = { ...found, kernel: { landlock: 2 } } as const;
  const walled = { ...found, level: 'bubblewrap' } as const;
  for (const [isolation, wish, isRoot, fault] of [
    [
      found,
      'auto',
      true,
      /root's files would be in reach: install bubblewrap \(apt-get.*, run Assay as a user of its own.*decode\.isolation = "any"/,
    ],
    [covered, 'auto', true, /a fallen decoder reaches files outside the data folder/],
    [found, 'auto', false, null],
    [found, 'any', true, null],
    [filtered, 'auto', true, null],
    [walled, 'auto', true, null],
    [walled, 'require', true, null],
    [filtered, 'require', false, /install bubblewrap/],
  ] as const) {
    const said = faultOfIsolation(isolation, wish, isRoot);
    if (fault === null) assert.equal(said, null);
    else assert.match(said ?? '', fault);
  }
});

test("the kernel's filter leaves a decoder its slot alone, at every level", async (context) => {
  await using folder = await makeTemporaryFolder();
  const isolations = await possibleIsolations(folder.path);
  if (isolations.some((isolation) => reachOf(isolation) !== 'its slot'))
    return context.skip('no Landlock here');
  const slotFolder = await makeSlotFolder(folder.path);
  await writeFile(join(folder.path, 'secret'), 'of the data folder');
  await writeFile(join(slotFolder, 'in', 'input'), 'upload');
  const servers = [join(folder.path, 'socket'), `\0assay-test-${process.pid}`].map((path) =>
    createServer((socket) => socket.destroy()).listen(path),
  );
  for (const isolation of isolations) {
    const command = decodeCommand(isolation, slotFolder, BOUNDS);
    const said: Record<string, string> = JSON.parse(
      await runInside(command, BREAKOUT(folder.path, process.pid)),
    );
    assert.deepEqual(
      Object.entries(said).filter(([, outcome]) => !REFUSALS.includes(outcome)),
      [],
      describeIsolation(isolation),
    );
    assert.equal(await readFile(join(folder.path, 'secret'), 'utf8'), 'of the data folder');
    assert.deepEqual(await readdir(join(slotFolder, 'out')), ['made']);
  }
  for (const server of servers) server.close();
});

/** Closed, not there, or not a way that is open at all; a number of the kernel's that Node has no word for counts as closed. */
const REFUSALS = [
  'EACCES',
  'EPERM',
  'ENOENT',
  'EROFS',
  'EXDEV',
  'EBUSY',
  'ESRCH',
  'ENOSYS',
  'ERR_SYSTEM_ERROR',
];

/** Says whether `file` is there: at its start, and again after each line that it is sent. */
const LOOK_FOR = (file: string) => `
  import { existsSync } from 'node:fs';
  import { createInterface } from 'node:readline';
  const look = () => console.log(existsSync(${JSON.stringify(file)}));
  look();
  createInterface(process.stdin).on('line', look);`;

test('a disk that the box unmounts goes from a running child too', async (context) => {
  if (process.getuid?.() !== 0) return context.skip('only root mounts a disk');
  await using folder = await makeTemporaryFolder();
  await using elsewhere = await makeTemporaryFolder();
  using shared = new SharedMount(elsewhere.path);
  const disk = join(shared.path, 'disk');
  const slotFolder = await makeSlotFolder(folder.path);
  const walls = (await possibleIsolations(folder.path)).filter(({ coveredFolder }) => coveredFolder !== null);
  if (walls.length === 0) return context.skip('this machine mounts nothing for a decoder');
  await mkdir(disk);
  for (const isolation of walls) {
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', disk]);
    await writeFile(join(disk, 'file'), 'x');
    const { file, args, cwd, env } = decodeCommand(isolation, slotFolder, BOUNDS);
    const inside = [...args.slice(0, -1), '--input-type=module', '--eval', LOOK_FOR(join(disk, 'file'))];
    const child = spawn(file, inside, { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
    const ended = once(child, 'close');
    const said = createInterface(child.stdout)[Symbol.asyncIterator]();
    const before = (await said.next()).value;
    execFileSync('umount', [disk]);
    child.stdin.end('\n');
    const after = (await said.next()).value;
    await ended;
    assert.deepEqual([before, after], ['true', 'false'], isolation.unshareFlags?.join(' '));
  }
});

/** A folder whose mounts are passed on, as those of a box are. */
class SharedMount implements Disposable {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', path]);
    execFileSync('mount', ['--make-shared', path]);
  }

  [Symbol.dispose](): void {
    execFileSync('umount', ['--recursive', this.path]);
  }
}

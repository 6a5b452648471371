/** What a decode child can see, asked from inside: a program of the test's own runs in the child's place. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import {
  type ChildCommand,
  decodeCommand,
  detectIsolation,
  type Isolation,
} from '../../src/engine/isolation.ts';
import { ISOLATION_LEVELS } from '../../src/worker/protocol.ts';
import { BOUNDS, openBareSlot } from '../decode-fixture.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

async function makeSlotFolder(folder: string): Promise<string> {
  const slotFolder = join(folder, 'jobs', '1');
  await mkdir(join(slotFolder, 'in'), { recursive: true });
  await mkdir(join(slotFolder, 'out'), { recursive: true });
  return slotFolder;
}

/** Replaces the child's entry by a script and returns what it prints. */
async function runInside({ file, args, cwd, env }: ChildCommand, script: string): Promise<string> {
  const inside = [...args.slice(0, -1), '--input-type=module', '--eval', script];
  return (await promisify(execFile)(file, inside, { cwd, env, timeout: 20_000 })).stdout;
}

async function possibleIsolations(folder: string): Promise<Isolation[]> {
  const best = await detectIsolation(join(folder, 'trial'));
  const bare: Isolation = { level: 'limits only', limiter: best.limiter, unshareFlags: null };
  const shell: Isolation = { ...bare, limiter: 'shell' };
  return best.level === 'limits only' ? [bare, shell] : [best, bare, shell];
}

test('a trial names one of the known levels and leaves nothing behind', async () => {
  await using folder = await makeTemporaryFolder();
  const trial = join(folder.path, 'trial');
  assert.ok(ISOLATION_LEVELS.includes((await detectIsolation(trial)).level));
  await assert.rejects(readFile(trial), { code: 'ENOENT' });
});

test('the environment is written out at every level', async () => {
  process.env.ASSAY_ADMIN_API_KEY = 'secret-of-the-test';
  await using folder = await makeTemporaryFolder();
  const slotFolder = await makeSlotFolder(folder.path);
  for (const isolation of await possibleIsolations(folder.path)) {
    const command = decodeCommand(isolation, slotFolder, BOUNDS);
    const names = await runInside(command, 'console.log(Object.keys(process.env).join())');
    const expected = ['LANG', 'MALLOC_ARENA_MAX', 'PATH', 'PWD', '_', 'OLDPWD', 'SHLVL'];
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
  const isolation = await detectIsolation(join(folder.path, 'trial'));
  if (isolation.level !== 'bubblewrap') return context.skip(`this machine gives: ${isolation.level}`);
  const slotFolder = await makeSlotFolder(folder.path);
  await writeFile(join(folder.path, 'records'), 'of the data folder');
  await writeFile(join(slotFolder, 'in', 'input'), 'upload');
  const script = `
    import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
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
      sources: attempt(() => writeFileSync(${JSON.stringify(join(import.meta.dirname, '../../package.json'))}, 'x')),
      otherRooms: existsSync(${JSON.stringify(join(import.meta.dirname, '../../src/store'))}),
      networks: Object.keys(networkInterfaces()).filter((name) => name !== 'lo'),
      processes: readdirSync('/proc').filter((name) => Number(name) > 0).length,
    }));`;
  const said = JSON.parse(await runInside(decodeCommand(isolation, slotFolder, BOUNDS), script));
  const { processes, ...rest } = said as { processes: number };
  assert.deepEqual(rest, {
    ...{ cwd: '/slot', input: 'upload', overwrite: 'EROFS', create: 'EROFS', output: 'written' },
    ...{ data: false, home: false, sources: 'EROFS', otherRooms: false, networks: [] },
  });
  assert.ok(processes <= 3, `${processes} processes are visible`);
  assert.equal(await readFile(join(slotFolder, 'out', 'made'), 'utf8'), 'x');
});

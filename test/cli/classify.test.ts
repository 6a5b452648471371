import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { type FakeDaemon, startFakeDaemon } from './fake-daemon.ts';
import { type Outcome, type RunOptions, runCommand } from './run-command.ts';

const MEDIA_FILES = join(import.meta.dirname, '../../src/cli/daemon/media-files.ts');

function run(
  daemon: FakeDaemon | string,
  argv: string[],
  options: Partial<RunOptions> = {},
): Promise<Outcome> {
  const address = typeof daemon === 'string' ? daemon : daemon.address;
  return runCommand({ address, key: 'good', ...options }, argv);
}

function writeFiles(folder: string, sizes: Record<string, number>): void {
  for (const [name, size] of Object.entries(sizes)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), Buffer.alloc(size, name));
  }
}

test('a folder is searched for media files, and a table says what was found', async () => {
  await using daemon = await startFakeDaemon();
  await using folder = await makeTemporaryFolder();
  writeFiles(folder.path, { 'a.jpg': 10, 'sub/b.PNG': 700_000, 'notes.txt': 5, '._a.jpg': 4 });
  const { code, out, err } = await run(daemon, ['classify', folder.path]);
  assert.equal(code, 0, err);
  assert.match(out, /a\.jpg .*Inconclusive .*93 % .*artificial/);
  assert.match(out, /b\.PNG/);
  assert.match(err, /2 other files in the folders were skipped/);
  assert.equal(daemon.received.get('b.PNG'), 700_000);
});

test('names that are not UTF-8 are read and shown, in a folder and named outright', async () => {
  await using daemon = await startFakeDaemon();
  await using folder = await makeTemporaryFolder();
  const old = Buffer.concat([
    Buffer.from(join(folder.path, 'caf')),
    Buffer.from([0xe9]),
    Buffer.from('.jpg'),
  ]);
  writeFileSync(old, Buffer.alloc(10));
  const { code, out, err } = await run(daemon, ['classify', folder.path]);
  assert.equal(code, 0, err);
  assert.match(out, /café\.jpg/);
  assert.equal(daemon.received.get('café.jpg'), 10);
  const script = `import { listMediaSources } from ${JSON.stringify(MEDIA_FILES)};
    for await (const source of listMediaSources(process.argv.slice(1), { stdinName: '', counts: {} })) console.log(source.type, source.name);`;
  // Only a shell can hand over a name that is no text.
  const command = 'exec "$0" --input-type=module -e "$1" "$2"/caf*.jpg';
  const words = ['-c', command, process.execPath, script, folder.path];
  assert.equal(execFileSync('sh', words, { encoding: 'utf8' }), 'file café.jpg\n');
});

test('one failed file does not stop the others, and the exit code is 1', async () => {
  await using daemon = await startFakeDaemon();
  await using folder = await makeTemporaryFolder();
  writeFiles(folder.path, { 'bad.jpg': 10, 'good.jpg': 10 });
  const names = ['bad.jpg', 'missing.jpg', 'good.jpg'].map((name) => join(folder.path, name));
  const { code, out } = await run(daemon, ['classify', '--json', ...names]);
  const lines = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const byPath = new Map(lines.map((line) => [line.path, line]));
  assert.equal(code, 1);
  assert.equal(lines.length, 3);
  assert.equal(byPath.get(names[0])?.error, 'file: the picture is corrupt');
  assert.equal(byPath.get(names[1])?.error, 'no such file');
  assert.equal(byPath.get(names[2])?.status, 'STATUS_DONE');
  assert.equal(byPath.get(names[2])?.has_heatmap, true);
});

test('hundreds of files go up, never more at once than asked for', async () => {
  await using daemon = await startFakeDaemon();
  await using folder = await makeTemporaryFolder();
  writeFiles(folder.path, Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`f${i}.webp`, 100])));
  const { code, out } = await run(daemon, ['classify', '--json', '--jobs', '8', folder.path]);
  assert.equal(code, 0);
  assert.equal(out.trim().split('\n').length, 300);
  assert(daemon.openMax <= 8, `${daemon.openMax} at once`);
});

test('standard input is sent under its name, in chunks of any size', async () => {
  await using daemon = await startFakeDaemon();
  const stdin = Readable.from([Buffer.alloc(1_000_000), Buffer.alloc(3)]);
  const { code } = await run(daemon, ['classify', '-', '--name', 'pipe.png'], { stdin });
  assert.equal(code, 0);
  assert.equal(daemon.received.get('pipe.png'), 1_000_003);
});

test('a file that a busy daemon refuses is sent again', async () => {
  await using daemon = await startFakeDaemon();
  await using folder = await makeTemporaryFolder();
  writeFiles(folder.path, { 'busy.jpg': 10 });
  const { code, err } = await run(daemon, ['classify', folder.path]);
  assert.equal(code, 0, err);
});

test('heatmaps are saved beside each other, complete', async () => {
  await using daemon = await startFakeDaemon();
  await using folder = await makeTemporaryFolder();
  writeFiles(folder.path, { 'a.jpg': 10 });
  const maps = join(folder.path, 'maps');
  const { code } = await run(daemon, ['classify', join(folder.path, 'a.jpg'), '--heatmap-dir', maps]);
  assert.equal(code, 0);
  assert.equal(readFileSync(join(maps, 'a.jpg.heatmap.png'), 'utf8'), 'PNG');
});

test('maps of two files of one name are both kept, and a folder that is none is named', async () => {
  await using daemon = await startFakeDaemon();
  await using folder = await makeTemporaryFolder();
  writeFiles(folder.path, { 'one/a.jpg': 10, 'two/a.jpg': 10 });
  const files = ['one', 'two'].map((name) => join(folder.path, name));
  const maps = join(folder.path, 'maps');
  equalCode(await run(daemon, ['classify', ...files, '--heatmap-dir', maps]), 0);
  assert.equal(readdirSync(maps).length, 2);
  equalCode(await run(daemon, ['classify', ...files, '--heatmap-dir', maps]), 0);
  const refused = await run(daemon, ['classify', ...files, '--heatmap-dir', join(files[0] ?? '', 'a.jpg')]);
  equalCode(refused, 1);
  assert.match(refused.err, /^assay: EEXIST: .*a\.jpg/m);
});

function equalCode({ code, out, err }: Outcome, expected: number): void {
  assert.equal(code, expected, out + err);
}

test('Ctrl-C cancels uploads and says that accepted analyses go on', async () => {
  await using daemon = await startFakeDaemon();
  await using folder = await makeTemporaryFolder();
  writeFiles(folder.path, { 'slow.jpg': 10 });
  // The bar shows the step of a record, so the command knows by then that the daemon accepted it.
  const { code, err } = await run(daemon, ['classify', join(folder.path, 'slow.jpg'), '-'], {
    stdin: new Readable({ read: () => {} }),
    isTerminal: true,
    interruptAt: /slow\.jpg.*infer/,
  });
  assert.equal(code, 130);
  assert.match(err, /interrupted: 1 uploads cancelled; 1 accepted analyses go on/);
});

const FAILURES: readonly {
  name: string;
  argv: string[];
  address?: string;
  key?: string;
  code: number;
  err: RegExp;
}[] = [
  { name: 'wrong usage', argv: ['classify'], code: 2, err: /missing required argument 'files'/ },
  { name: 'too many jobs', argv: ['classify', '--jobs', '65', 'x'], code: 2, err: /from 1 to 64/ },
  { name: 'standard input twice', argv: ['classify', '-', '-'], code: 2, err: /only once/ },
  {
    name: 'no daemon',
    argv: ['classify', '-'],
    address: '127.0.0.1:1',
    code: 3,
    err: /no daemon answers at 127\.0\.0\.1:1: start it with npm start/,
  },
  {
    name: 'a name that is not known',
    argv: ['classify', '-'],
    address: 'box.invalid:1',
    code: 3,
    err: /no daemon answers at box\.invalid:1 \(Name resolution failed.*\): start it/,
  },
  {
    name: 'a refused key',
    argv: ['classify', '-'],
    key: 'wrong',
    code: 4,
    err: /the key is not valid.*ASSAY_API_KEY/,
  },
];

for (const failure of FAILURES) {
  test(`exit code ${failure.code}: ${failure.name}`, async () => {
    await using daemon = await startFakeDaemon();
    const key = failure.key === undefined ? {} : { key: failure.key };
    const { code, err } = await run(failure.address ?? daemon, failure.argv, key);
    assert.equal(code, failure.code, err);
    assert.match(err, failure.err);
  });
}

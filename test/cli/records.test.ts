import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type OpenBox, openBox } from '../app/open-box.ts';
import { TEST_KEY } from '../daemon.ts';
import { patternImage, writePicture } from '../media/pictures.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { awaitWatchers } from '../watchers.ts';
import { linesOf, type Outcome, type RunOptions, runCommand } from './run-command.ts';

const PNG_MAGIC = '89504e470d0a1a0a';

let daemon: OpenBox;
let folder: Awaited<ReturnType<typeof makeTemporaryFolder>>;
let picture: Buffer;
let path: string;
let identifier: string;

before(async () => {
  daemon = await openBox({ models: 'tiny' });
  folder = await makeTemporaryFolder();
  picture = await patternImage(640, 480).png().toBuffer();
  path = await writePicture(folder.path, 'holiday.png', picture);
  const classified = await assay(['classify', path, '--with-heatmap', '--json']);
  assert.equal(classified.code, 0, classified.err + classified.out);
  identifier = String(linesOf(classified)[0]?.identifier);
});

after(async () => {
  await daemon[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

function assay(argv: readonly string[], more: Partial<RunOptions> = {}): Promise<Outcome> {
  return runCommand({ address: daemon.grpc, key: TEST_KEY, ...more }, argv);
}

test('get shows a record and saves its heatmap', async () => {
  const maps = join(folder.path, 'maps');
  const { code, out, err } = await assay(['get', identifier, '--heatmap-dir', maps]);
  assert.equal(code, 0, err);
  assert.match(out, new RegExp(`^identifier +${identifier}\nname +holiday\\.png\n`));
  assert.match(out, /answer +This picture .+\n.*by the models +\d+ % chance of AI\n/s);
  assert.match(out, /heatmap +yes\n/);
  const map = await readFile(join(maps, 'holiday.png.heatmap.png'));
  assert.equal(map.subarray(0, 8).toString('hex'), PNG_MAGIC);
  const [record] = linesOf(await assay(['get', identifier, '--json']));
  assert.deepEqual([record?.name, record?.status], ['holiday.png', 'STATUS_DONE']);
});

test('get goes on after a record that is not there, and exits with 1', async () => {
  const { code, out, err } = await assay(['get', 'f'.repeat(64), identifier, '--json']);
  assert.equal(code, 1);
  assert.match(err, /f{64}: no such classification/);
  assert.equal(JSON.parse(out).identifier, identifier);
});

test('list shows the newest first, as many as asked for, of one kind', async () => {
  const again = await assay(['classify', path, '--no-cache', '--json', '--ref-id', 'second']);
  const newest = linesOf(again)[0]?.identifier;
  const listed = linesOf(await assay(['list', '--json', '--all']));
  assert.deepEqual(
    listed.slice(0, 2).map((record) => record.identifier),
    [newest, identifier],
  );
  const one = await assay(['list', '--limit', '1']);
  assert.match(one.out, new RegExp(`^${newest} .* holiday\\.png\n$`));
  assert.equal((await assay(['list', '--kind', 'audio'])).out, '');
  const usage = await assay(['list', '--limit', '0']);
  assert.deepEqual([usage.code, /from 1 to/.test(usage.err)], [2, true]);
});

test('watch ends with a record that has ended; without a record it goes on until Ctrl-C', async () => {
  const ended = linesOf(await assay(['watch', identifier, '--json']));
  assert.deepEqual(
    ended.map(({ status }) => status),
    ['STATUS_DONE'],
  );
  assert.equal((await assay(['watch', 'f'.repeat(64)])).code, 1);
  const watching = assay(['watch', '--json'], { interruptAt: /STATUS_DONE/ });
  await awaitWatchers(daemon, 1);
  const [made] = linesOf(await assay(['classify', path, '--no-cache', '--json']));
  const seen = linesOf(await watching);
  assert.deepEqual([...new Set(seen.map((record) => record.identifier))], [made?.identifier]);
  assert.equal(seen.at(-1)?.status, 'STATUS_DONE');
});

test('override states the value of a record, or of a file by its hash, and takes it back', async () => {
  const hash = createHash('sha256').update(picture).digest('hex');
  const stated = await assay(['override', identifier, 'human', '--reason', 'shot by us']);
  assert.deepEqual([stated.code, stated.out], [0, `${hash}: human\n`]);
  assert.match(
    (await assay(['get', identifier])).out,
    /answer +A person says that this picture is human-made\.\n +(By what|What) was measured/,
  );
  const byHash = linesOf(await assay(['override', hash, 'artificial', '--kind', 'image', '--json']));
  assert.deepEqual(byHash, [{ classification: 'artificial', hash }]);
  const removed = await assay(['override', identifier, '--remove']);
  assert.equal(removed.out, `${hash}: no longer stated as artificial\n`);
  const twice = await assay(['override', identifier, '--remove']);
  assert.deepEqual([twice.code, /no override for this file/.test(twice.err)], [1, true]);
  const foreign = await assay(['override', '0'.repeat(64), 'human', '--kind', 'image']);
  assert.deepEqual([foreign.code, /no image with this hash/.test(foreign.err)], [1, true]);
  const history = linesOf(await assay(['override', identifier, '--history', '--json']));
  assert.deepEqual(
    history.map((entry) => [entry.classification, entry.reason, entry.by_account_id]),
    [
      ['LABEL_HUMAN', 'shot by us', '1'],
      ['LABEL_ARTIFICIAL', '', '1'],
    ],
  );
  assert.match(String(history[0]?.measured), /^LABEL_(HUMAN|ARTIFICIAL)$/);
  const both = await assay(['override', identifier, 'human', '--remove']);
  assert.deepEqual([both.code, /give either/.test(both.err)], [2, true]);
});

test('validate judges each file by itself, stores nothing, and exits with 1 for a bad one', async () => {
  const before = (await assay(['list', '--all'])).out;
  const broken = await writePicture(folder.path, 'broken.png', picture.subarray(0, 200));
  const missing = join(folder.path, 'missing.png');
  const { code, out } = await assay(['validate', path, broken, missing, '--jobs', '1']);
  assert.equal(code, 1);
  const [first, second, third] = out.split('\n');
  assert.match(first ?? '', /holiday\.png: valid \(image\/png, 640 x 480, \d+ bytes; /);
  assert.match(second ?? '', /broken\.png: .+/);
  assert.match(third ?? '', /missing\.png: no such file/);
  const piped = await runPiped(picture);
  assert.deepEqual([piped.valid, piped.width, piped.height], [true, 640, 480]);
  assert.equal((await assay(['list', '--all'])).out, before);
});

async function runPiped(bytes: Buffer): Promise<Record<string, unknown>> {
  const outcome = await assay(['validate', '-', '--name', 'piped.png', '--json'], { stdin: bytes });
  const [line] = linesOf(outcome);
  assert(line !== undefined, outcome.err);
  return line;
}

import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { Folds } from '../../evaluate/folds.ts';
import type { LabelledFile } from '../../evaluate/labelled-folder.ts';
import type { Measurement } from '../../evaluate/measurement.ts';
import type { Report } from '../../evaluate/report.ts';
import { COMPILED } from '../daemon.ts';
import { COARSE_MODEL, writeTinyImagePack } from '../interface/packs.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const run = promisify(execFile);
const ENTRY = join(import.meta.dirname, '../../evaluate/main.ts');
const SIDE = 256;
/** Time for tiny models on a busy box. */
const WAIT_MS_MAX = 120_000;

/** The tiny models take bright pictures for artificial. */
const SOURCES = [
  { label: 'human', source: 'dark', level: 20, fold: '0' },
  { label: 'human', source: 'dim', level: 60, fold: '1' },
  { label: 'human', source: 'unknown', level: 40, fold: null },
  { label: 'artificial', source: 'light', level: 190, fold: '0' },
  { label: 'artificial', source: 'bright', level: 230, fold: '1' },
] as const;

async function writePictures(folder: string): Promise<void> {
  for (const { label, source, level } of SOURCES) {
    await mkdir(join(folder, label, source), { recursive: true });
    const background = { r: level, g: level, b: level };
    const picture = sharp({ create: { width: SIDE, height: SIDE, channels: 3, background } });
    await picture.jpeg().toFile(join(folder, label, source, 'a.jpg'));
  }
}

/** Each fold's pack has a version of its own, so that a measurement shows which one answered. */
async function writeFolds(folder: string): Promise<void> {
  const rows = SOURCES.flatMap(({ label, source, fold }) =>
    fold === null ? [] : `${label}\t${source}\t${fold}\n`,
  );
  await writeFile(join(folder, 'folds.tsv'), `label\tsource\tfold\n${rows.join('')}`);
  for (const fold of ['0', '1']) {
    const place = join(folder, `fold-${fold}`);
    await writeTinyImagePack(place, COARSE_MODEL);
    const description = join(place, COARSE_MODEL.id, 'model.json');
    const pack = JSON.parse(await readFile(description, 'utf8'));
    await writeFile(description, JSON.stringify({ ...pack, version: `${fold}.0.0` }));
  }
}

interface Places {
  data: string;
  packs: string;
  out: string;
  /** The folder in which the daemons have theirs. */
  temporary: string;
}

const argsOf = ({ data, packs, out }: Places): string[] => [
  ...[ENTRY, '--data', data, '--packs', packs, '--out', out, '--jobs', '1', '--json'],
];
const envOf = ({ temporary }: Places) => ({ PATH: process.env.PATH, ...COMPILED, TMPDIR: temporary });

async function untilMeasured(child: ChildProcess, journal: string): Promise<void> {
  for (const started = Date.now(); Date.now() - started < WAIT_MS_MAX; await sleep(50)) {
    const lines = await readFile(journal, 'utf8').catch(() => '');
    if (lines.split('\n').length > 2) return;
    if (child.exitCode !== null) break;
  }
  assert.fail('nothing was measured');
}

async function untilEmpty(folder: string): Promise<void> {
  for (const started = Date.now(); Date.now() - started < WAIT_MS_MAX; await sleep(50)) {
    if ((await readdir(folder)).length === 0) return;
  }
  assert.deepEqual(await readdir(folder), []);
}

test('packs of the folds answer for sources they have not seen; a kill leaves nothing, and the rest is measured later', async () => {
  await using root = await makeTemporaryFolder();
  const names = ['data', 'packs', 'out', 'temporary'] as const;
  for (const name of names) await mkdir(join(root.path, name));
  const places = Object.fromEntries(names.map((name) => [name, join(root.path, name)])) as unknown as Places;
  await writePictures(places.data);
  await writeFolds(places.packs);
  const journal = join(places.out, 'measurements.jsonl');

  const killed = spawn(process.execPath, argsOf(places), { env: envOf(places), stdio: 'ignore' });
  const ended = once(killed, 'exit');
  await untilMeasured(killed, journal);
  killed.kill('SIGKILL');
  await ended;
  await untilEmpty(places.temporary);

  const { stdout, stderr } = await run(process.execPath, argsOf(places), { env: envOf(places) });
  const report = JSON.parse(stdout) as Report;
  assert.deepEqual(report.failed, []);
  assert.match(stderr, /^left out, in no fold: human\/unknown \(1\)$/m);
  assert.deepEqual(report.leftOut, [{ label: 'human', source: 'unknown', files: 1 }]);
  assert.deepEqual(
    report.rounds.map(({ fold, files, sources }) => ({ fold, files, sources })),
    ['0', '1'].map((fold) => ({ fold, files: 2, sources: 2 })),
  );
  const [clean] = report.tiers;
  assert.deepEqual([clean?.files, clean?.figures.auc.value], [4, 1]);

  const [, ...lines] = (await readFile(journal, 'utf8')).trim().split('\n');
  const measured = lines.map((line) => JSON.parse(line) as Measurement);
  assert.equal(measured.length, 4, 'nothing twice');
  for (const { source, fold, models } of measured) {
    const expected = SOURCES.find((known) => known.source === source)?.fold;
    assert.deepEqual([fold, Object.keys(models)], [expected, [`${COARSE_MODEL.id}@${expected}.0.0`]], source);
  }
  for (const { fold, packs } of report.rounds) {
    const origin = packs.filter(({ task }) => task === 'image-origin');
    assert.deepEqual(
      origin.map(({ id, version }) => [id, version]),
      [[COARSE_MODEL.id, `${fold}.0.0`]],
      'no shipped pack of the same task',
    );
    assert.ok(packs.some(({ id, sha256 }) => id === 'face-detector' && /^[0-9a-f]{64}$/.test(sha256)));
  }
  await untilEmpty(places.temporary);
});

test('a pack that a daemon does not take ends the evaluation with its fault', async () => {
  await using root = await makeTemporaryFolder();
  const places = {
    data: root.path,
    packs: join(root.path, 'packs'),
    out: join(root.path, 'out'),
    temporary: root.path,
  };
  await writePictures(places.data);
  await mkdir(places.packs);
  await writeFolds(places.packs);
  await writeFile(join(places.packs, 'fold-0', COARSE_MODEL.id, 'model.onnx'), 'another');
  await assert.rejects(run(process.execPath, argsOf(places), { env: envOf(places) }), ({ stderr, code }) => {
    assert.match(
      stderr,
      /^fold-0: out of service: tiny-coarse@0\.0\.0; not of the fold: none; tiny-coarse: .*SHA-256/m,
    );
    return code === 2;
  });
});

const FAULTS: Readonly<Record<string, string>> = {
  'label\tsource\n': 'folds.tsv: expected a column fold, found label,source',
  'label\tsource\tfold\nreal\ta\t0\n': 'folds.tsv line 2: label: expected human or artificial, found "real"',
  'label\tsource\tfold\nhuman\ta\tx\n': 'folds.tsv line 2: fold: expected a whole number, found "x"',
  'label\tsource\tfold\nhuman\ta\t0\nhuman\ta\t1\n':
    'folds.tsv line 3: fold: human/a is in fold 0 already, found 1',
  'label\tsource\tfold\nhuman\ta\t7\n': 'folds.tsv: names fold 7; expected a folder fold-N of each in FOLDER',
};
for (const [text, message] of Object.entries(FAULTS)) {
  test(message, async () => {
    await using root = await makeTemporaryFolder();
    await writeFolds(root.path);
    await writeFile(join(root.path, 'folds.tsv'), text);
    await assert.rejects(Folds.read(root.path), { message: message.replace('FOLDER', root.path) });
  });
}

test('folds with different packs are refused: one would be measured with less', async () => {
  await using root = await makeTemporaryFolder();
  await writeFolds(root.path);
  await writeTinyImagePack(join(root.path, 'fold-1'), { id: 'tiny-more', minimumShortSide: 100 });
  await assert.rejects(Folds.read(root.path), {
    message: 'fold-1: expected the packs of fold-0 (tiny-coarse), found tiny-coarse, tiny-more',
  });
});

test('a source of one label is not that of the other', async () => {
  await using root = await makeTemporaryFolder();
  await writeFolds(root.path);
  const folds = await Folds.read(root.path);
  const files = (['human', 'artificial'] as const).map(
    (label): LabelledFile => ({
      path: label,
      label,
      source: 'dark',
      kind: '',
      originalLongSide: null,
      framesPerSecond: null,
    }),
  );
  const { rounds, leftOut } = folds.route(files);
  assert.deepEqual(
    rounds.map(({ fold, files: own }) => [fold.name, own.map(({ label }) => label)]),
    [['0', ['human']]],
  );
  assert.deepEqual(leftOut, [{ label: 'artificial', source: 'dark', files: 1 }]);
});

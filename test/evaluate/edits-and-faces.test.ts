import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import sharp from 'sharp';
import type { Report } from '../../evaluate/report.ts';
import { type OpenBox, openBox } from '../app/open-box.ts';
import { TEST_KEY } from '../daemon.ts';
import { patternImage } from '../media/pictures.ts';
import { sharedData, skipWithoutSharedData } from '../shared-data.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const run = promisify(execFile);
const ENTRY = join(import.meta.dirname, '../../evaluate/main.ts');
const [WIDTH, HEIGHT] = [352, 264];
/** A region that is blurred after noise: as plain an edit as can be made. */
const EDIT = { left: 80, top: 64, width: 160, height: 120 };

let daemon: OpenBox;

before(async () => {
  const packs = join(import.meta.dirname, '../../models');
  daemon = await openBox({
    env: { ASSAY_MODELS_FOLDERS: packs, ASSAY_ANALYSIS_STABILITY: 'false' },
  });
});

after(async () => {
  await daemon?.[Symbol.asyncDispose]();
});

async function write(folder: string, files: Record<string, Buffer | Promise<Buffer>>): Promise<void> {
  for (const [name, bytes] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), await bytes);
  }
}

/** Noise over a slope, by a rule. */
function noisy(seed: number): Buffer {
  const rgb = Buffer.alloc(WIDTH * HEIGHT * 3);
  let state = seed;
  for (let index = 0; index < rgb.length; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    rgb[index] = 70 + ((Math.floor(index / 3) % WIDTH) * 100) / WIDTH + (state >>> 28);
  }
  return rgb;
}

const raw = { width: WIDTH, height: HEIGHT, channels: 3 as const };
const plain = (seed: number) => sharp(noisy(seed), { raw }).png().toBuffer();

async function edited(seed: number): Promise<Buffer> {
  const { left, top } = EDIT;
  const part = await sharp(noisy(seed), { raw }).extract(EDIT).blur(3).png().toBuffer();
  return await sharp(noisy(seed), { raw })
    .composite([{ input: part, left, top }])
    .png()
    .toBuffer();
}

function mask(width = WIDTH, height = HEIGHT): Promise<Buffer> {
  const { left, top, ...size } = EDIT;
  const white = { create: { ...size, channels: 3 as const, background: '#fff' } };
  return sharp({ create: { width, height, channels: 3, background: '#000' } })
    .composite([{ input: white, left, top }])
    .png()
    .toBuffer();
}

async function evaluate(data: string, task: string, out: string): Promise<Report> {
  const args = [ENTRY, '--data', data, '--task', task, '--out', out, '--json', '--prefix-sources'];
  const env = { ...process.env, ASSAY_ADDRESS: daemon.grpc, ASSAY_API_KEY: TEST_KEY };
  return JSON.parse((await run(process.execPath, args, { env })).stdout) as Report;
}

test('edited pictures: figures of the score, and of the map where there is a mask', async () => {
  await using data = await makeTemporaryFolder();
  await write(data.path, {
    'human/desk-1.png': plain(1),
    'human/field-2.png': plain(2),
    'edited/desk-3.png': edited(3),
    'masks/desk-3.png': mask(),
    'edited/field-4.png': edited(4),
    'edited/field-4_mask.png': mask(),
    'edited/unmasked-5.png': edited(5),
    'edited/wrong-6.png': edited(6),
    'masks/wrong-6.png': mask(WIDTH - 8),
  });
  const { tiers, failed } = await evaluate(data.path, 'tampering', join(data.path, 'out'));
  assert.deepEqual(
    failed.map(({ path, error }) => [path, error.replace(data.path, '')]),
    [['edited/wrong-6.png', '/masks/wrong-6.png: expected 352 × 264 pixels, found 344 × 264']],
  );
  const [clean] = tiers;
  assert.ok(clean !== undefined);
  assert.deepEqual([clean.files, clean.sources, clean.unanswered], [5, 5, 0]);
  assert.equal(clean.figures.auc.value, 1);
  assert.ok(clean.figures.inconclusiveRate.value <= 1);
  assert.equal(clean.figures.recallCautious.value, null, 'no heuristic speaks of edits');
  const [even] = clean.localisation;
  assert.deepEqual([even?.threshold, even?.masked, even?.authentic], [0.5, 2, 2]);
  const { f1, recall, falselyCalled } = even ?? assert.fail();
  assert.ok(f1.value > 0.5 && recall.value > 0.5, JSON.stringify(even));
  assert.ok(falselyCalled.value < 0.3, JSON.stringify(even));
});

test('a picture without a face is in no rate, and is counted', async () => {
  await using data = await makeTemporaryFolder();
  const pattern = (width: number) => patternImage(width, 240).png().toBuffer();
  await write(data.path, { 'human/a-1.png': pattern(320), 'swapped/b-1.png': pattern(330) });
  const { tiers, failed } = await evaluate(data.path, 'faces', join(data.path, 'out'));
  assert.deepEqual(failed, []);
  const [clean] = tiers;
  assert.deepEqual([clean?.files, clean?.unanswered, clean?.unansweredHuman, clean?.faceless], [0, 2, 1, 2]);
  assert.equal(clean?.figures.auc.value, null);
});

test('faces are scored by the face model alone', { skip: skipWithoutSharedData('face') }, async () => {
  await using data = await makeTemporaryFolder();
  await mkdir(join(data.path, 'human'));
  await mkdir(join(data.path, 'swapped'));
  for (const pair of ['dfl00-0', 'dfl01-0', 'dfl02-0']) {
    await copyFile(sharedData('face', 'pairs', `${pair}-real.webp`), join(data.path, `human/${pair}.webp`));
    await copyFile(sharedData('face', 'pairs', `${pair}-fake.webp`), join(data.path, `swapped/${pair}.webp`));
  }
  const { tiers } = await evaluate(data.path, 'faces', join(data.path, 'out'));
  const [clean] = tiers;
  assert.equal((clean?.files ?? 0) + (clean?.unanswered ?? 0), 6);
  assert.ok((clean?.files ?? 0) >= 4, JSON.stringify(clean));
  assert.deepEqual(
    clean?.models.map(({ model }) => model.split('@')[0]),
    ['assay-faces'],
  );
  assert.equal(clean?.figures.inconclusiveRate.value, null, 'a record has no band for a face');
});

test('a folder of another task is refused in a sentence', async () => {
  await using data = await makeTemporaryFolder();
  await write(data.path, { 'human/a.png': plain(1), 'artificial/b.png': plain(2) });
  await assert.rejects(evaluate(data.path, 'tampering', data.path), ({ stderr }) => {
    const found = 'found none that is edited; its folders: artificial/, human/';
    const sentence = `${data.path}: expected media in human/ or authentic/ and edited/ or tampered/, ${found}\n`;
    assert.equal(stderr, sentence);
    return true;
  });
});

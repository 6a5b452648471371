/**
 * NSFW and faces through a running daemon, which makes its models itself at this first start. The face model is a
 * hand-made one that calls bright faces artificial: what is tested is what it is shown, and what becomes of its word.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { makeGoldenPatch } from '../../src/worker/inference/golden.ts';
import { TestDaemon } from '../daemon.ts';
import { KEY_HEADERS, until } from '../faults/submissions.ts';
import { makeClip } from '../interface/media.ts';
import { patternImage } from '../pictures.ts';
import { sharedData, skipWithoutSharedData } from '../shared-data.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../temporary-folder.ts';
import { meanOf, tinyModelBytes } from '../tiny-model.ts';

const FACE_SIDE = 64;
const PORTRAIT = ['face', 'human', 'obs-0010.jpg'] as const;
const BUILT_IN = join(import.meta.dirname, '../../models');

let folder: TemporaryFolder;
let daemon: TestDaemon;

before(async () => {
  folder = await makeTemporaryFolder();
  await writeFacePack(folder.path);
  const env = { ASSAY_MODELS_FOLDERS: `${BUILT_IN},${folder.path}`, ASSAY_ANALYSIS_STABILITY: 'false' };
  daemon = await TestDaemon.start({ env, makesModels: true });
});

after(async () => {
  await daemon?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

async function writeFacePack(modelFolder: string): Promise<void> {
  const model = tinyModelBytes(FACE_SIDE);
  const expected = [0, 1].map((index) => meanOf(makeGoldenPatch(index, FACE_SIDE)));
  const shipped = JSON.parse(await readFile(join(BUILT_IN, 'assay-residual', 'model.json'), 'utf8'));
  const { minimumShortSide: _, figures: __, ...rest } = shipped;
  const pack = {
    ...rest,
    ...{ id: 'tiny-face', task: 'face-origin', axis: 'swapped', figures: [], file: 'model.onnx' },
    sha256: createHash('sha256').update(model).digest('hex'),
    view: { type: 'face', size: FACE_SIDE, margin: 1 },
    calibration: { type: 'platt', slope: 20, intercept: -10, set: 'none' },
    ...{ minimumFaceSide: 40, golden: { seed: 1, tolerance: 0.001, expected } },
  };
  const path = join(modelFolder, 'tiny-face');
  await mkdir(path);
  await writeFile(join(path, 'model.onnx'), model);
  await writeFile(join(path, 'model.json'), JSON.stringify(pack));
}

/** Paths of the two kinds, and the field of the form that takes the file. */
const WAYS = { image: '/api/classification', video: '/api/classification_video' } as const;
type Kind = keyof typeof WAYS;

async function post(kind: Kind, bytes: Uint8Array, options: Record<string, string>): Promise<Response> {
  const body = new FormData();
  body.set(kind, new Blob([Uint8Array.from(bytes)]), 'file');
  for (const [name, value] of Object.entries(options)) body.set(name, value);
  return await fetch(`${daemon.http}${WAYS[kind]}`, { method: 'POST', headers: KEY_HEADERS, body });
}

/** Each test names the fields that it expects. */
// biome-ignore lint/suspicious/noExplicitAny: see above
type RecordBody = any;

async function classify(
  bytes: Uint8Array,
  options: Record<string, string>,
  kind: Kind = 'image',
): Promise<RecordBody> {
  const response = await post(kind, bytes, options);
  const identifier = await response.text();
  assert.equal(response.status, 200, identifier);
  const read = async () => {
    const answer = await fetch(`${daemon.http}${WAYS[kind]}/${identifier}`, { headers: KEY_HEADERS });
    return await answer.json();
  };
  await until(async () => (await read()).status !== 'new', `${identifier} to end`);
  const record = await read();
  assert.equal(record.status, 'done', record.errors);
  return record;
}

test('is_nsfw is stated where it was asked for, and adds no model to the results', async () => {
  const picture = await patternImage(300, 260).jpeg().toBuffer();
  const plain = await classify(picture, {});
  assert.ok(!('is_nsfw' in plain));
  const asked = await classify(picture, { with_nsfw: 'true' });
  assert.equal(asked.is_nsfw, false);
  assert.deepEqual(
    asked.results.map(({ model }: { model: string }) => model),
    plain.results.map(({ model }: { model: string }) => model),
  );
});

test('a face is found and judged', { skip: skipWithoutSharedData('face') }, async () => {
  const record = await classify(await readFile(sharedData(...PORTRAIT)), { with_morphing: 'true' });
  const [detection, ...others] = record.details[0].detections;
  assert.equal(others.length, 0);
  const { x1, y1, x2, y2 } = detection.box ?? detection;
  assert.ok(x1 < 100 && x2 > 180 && y1 < 200 && y2 > 250, JSON.stringify(detection));
  assert.equal(detection.results.length, 1);
  assert.ok(record.results.some(({ model }: { model: string }) => model.includes('tiny-face')));
});

test('faces are found in the frames of a video', { skip: skipWithoutSharedData('face') }, async () => {
  const [width, height] = [288, 448];
  const portrait = sharp(sharedData(...PORTRAIT))
    .resize(width, height, { fit: 'fill' })
    .removeAlpha();
  const pixels = await portrait.raw().toBuffer();
  const paint = (_index: number, rgb: Buffer) => {
    pixels.copy(rgb);
  };
  const clip = makeClip({ paint, width, height });
  const options = { with_morphing: 'true', with_nsfw: 'true', frames: '5' };
  const { is_nsfw: isNsfw, results } = await classify(clip, options, 'video');
  assert.equal(isNsfw, false);
  assert.equal(results.images.length, 5);
  for (const image of results.images) {
    assert.equal(image.details[0].detections.length, 1);
    assert.equal(image.details[0].detections[0].results.length, 1);
  }
});

test('without a face no face is judged', async () => {
  const grey = sharp({ create: { width: 300, height: 300, channels: 3, background: '#808080' } });
  const record = await classify(await grey.jpeg().toBuffer(), { with_morphing: 'true' });
  assert.deepEqual(record.details, []);
  const face = record.results.find(({ model }: { model: string }) => model.includes('tiny-face'));
  assert.ok(face === undefined || face.unknown === true, JSON.stringify(face));
});

test('a second start makes nothing again', async () => {
  const made = join(daemon.folder, 'models', 'nsfw', 'model.onnx');
  const before = await readFile(made);
  await daemon.kill('SIGTERM');
  await using again = await TestDaemon.start({ folder: daemon.folder, makesModels: true });
  assert.ok(before.equals(await readFile(made)));
  assert.equal(again.stderr.join('\n').includes('nsfw'), false);
});

/** NSFW and faces through a running daemon, which makes its models itself at this first start, with the models that come with Assay. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import sharp from 'sharp';
import type { FacePack } from '../../../src/domain/packs/model-pack.ts';
import type { Box } from '../../../src/domain/verdicts/faces.ts';
import { logistic } from '../../../src/domain/verdicts/heuristics.ts';
import { calibrate } from '../../../src/engine/analyses/calibration.ts';
import { viewOf } from '../../../src/engine/analyses/face-axis.ts';
import { KEY_HEADERS, until } from '../../faults/rounds/submissions.ts';
import { makeClip } from '../../interface/media.ts';
import { patternImage } from '../../media/pictures.ts';
import { testPattern } from '../../media/test-pattern.ts';
import { sharedData, skipWithoutSharedData } from '../../shared-data.ts';
import { type OpenBox, openBox } from '../open-box.ts';

const PORTRAIT = ['face', 'human', 'obs-0010.jpg'] as const;
const OTHER_PORTRAIT = ['face', 'artificial', 'mmdf-0002.jpg'] as const;
/** On some of them the detector is up to .73 sure of something of 9 to 14 pixels. */
const PATTERNS = [
  [640, 360, 0],
  [640, 480, 3],
  [854, 480, 7],
] as const;
const FACE_MODEL = join(import.meta.dirname, '../../../models/assay-faces');
/** Below the tolerance lies what rounding to grey levels and the order of sums change. */
const PROBABILITY_TOLERANCE = 0.005;
const skip = skipWithoutSharedData('face');

let daemon: OpenBox;

before(async () => {
  daemon = await openBox({ env: { ASSAY_ANALYSIS_STABILITY: 'false' } });
});

after(async () => {
  await daemon?.[Symbol.asyncDispose]();
});

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

interface SeenFaces {
  details: { detections: { results: { axis: string; reason: string }[] }[] }[];
}

/** What GraphQL says of the faces, with the axis and the reason that REST has no field for. */
async function queryFaces(identifier: string): Promise<SeenFaces> {
  const fields = '... on ImageClassification { details { detections { results { axis reason } } } }';
  const query = `query ($identifier: ID!) { classification(identifier: $identifier) { ${fields} } }`;
  const response = await fetch(`${daemon.http}/graphql`, {
    method: 'POST',
    headers: { ...KEY_HEADERS, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { identifier } }),
  });
  const { data, errors } = await response.json();
  assert.equal(errors, undefined, JSON.stringify(errors));
  return data.classification;
}

interface Result {
  model: string;
  unknown: boolean;
  classification: { label: string; score: number }[];
}

function ofFaceModel(results: Result[]): Result {
  const found = results.filter(({ model }) => model.includes('assay-faces'));
  assert.equal(found.length, 1, JSON.stringify(results));
  return found[0] as Result;
}

function artificialScore({ classification }: Result): number | undefined {
  return classification.find(({ label }) => label === 'artificial')?.score;
}

/** What the pack says of the square around a box, without any code of the daemon but the rule of the square. */
async function scoreOf(picture: Buffer, box: Box): Promise<number> {
  const pack: FacePack = JSON.parse(await readFile(join(FACE_MODEL, 'model.json'), 'utf8'));
  const { width, height } = await sharp(picture).metadata();
  const view = viewOf({ box }, pack.view.margin, { width, height });
  const { size } = pack.view;
  const rgb = await sharp(picture)
    .extract({ left: view.x, top: view.y, width: view.width, height: view.height })
    .resize(size, size, { fit: 'fill', kernel: 'linear' })
    .raw()
    .toBuffer();
  const planes = new Float32Array(3 * size * size);
  const { mean, std } = pack.input;
  for (const [index, value] of rgb.entries()) {
    const colour = index % 3;
    const scaled = (value / 255 - (mean[colour] ?? 0)) / (std[colour] ?? 1);
    planes[colour * size * size + Math.floor(index / 3)] = scaled;
  }
  const session = await InferenceSession.create(join(FACE_MODEL, 'model.onnx'));
  const { logit } = await session.run({ pixels: new Tensor('float32', planes, [1, 3, size, size]) });
  return logistic(calibrate(pack, Number(logit?.data[0])));
}

test('is_nsfw is stated if requested, and adds no model to the results', async () => {
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

test('a face is found, and the model that comes with Assay judges the square around it', {
  skip,
}, async () => {
  const picture = await sharp(sharedData(...PORTRAIT))
    .removeAlpha()
    .png()
    .toBuffer();
  const record = await classify(picture, { with_morphing: 'true' });
  const [detection, ...others] = record.details[0].detections;
  assert.equal(others.length, 0);
  const { x1, y1, x2, y2 } = detection.box;
  assert.ok(x1 < 100 && x2 > 180 && y1 < 200 && y2 > 250, JSON.stringify(detection));
  const found = artificialScore(ofFaceModel(detection.results));
  const expected = await scoreOf(picture, detection.box);
  assert.ok(
    Math.abs((found ?? 0) - expected) < PROBABILITY_TOLERANCE,
    `found ${found}, expected ${expected}`,
  );
  assert.deepEqual(detection.verdict.classification, (found ?? 0) >= 0.5 ? 'artificial' : 'human');
  assert.equal(artificialScore(ofFaceModel(record.results)), found);
});

test('a test pattern has no face', async () => {
  for (const [width, height, seconds] of PATTERNS) {
    const picture = await testPattern(width, height, seconds).png().toBuffer();
    const { details } = await classify(picture, { with_morphing: 'true' });
    assert.deepEqual(details[0]?.detections ?? [], [], `${width}x${height} after ${seconds} s`);
  }
});

test('the most suspicious face is the answer for the picture', { skip }, async () => {
  const parts = [PORTRAIT, OTHER_PORTRAIT].map((path) =>
    sharp(sharedData(...path))
      .resize({ height: 400 })
      .removeAlpha()
      .png()
      .toBuffer({ resolveWithObject: true }),
  );
  const [left, right] = await Promise.all(parts);
  if (left === undefined || right === undefined) throw new Error('expected two portraits');
  const width = left.info.width + right.info.width;
  const both = await sharp({ create: { width, height: 400, channels: 3, background: '#fff' } })
    .composite([
      { input: left.data, left: 0, top: 0 },
      { input: right.data, left: left.info.width, top: 0 },
    ])
    .png()
    .toBuffer();
  const { details, results } = await classify(both, { with_morphing: 'true' });
  const scores = details[0].detections.map((it: { results: Result[] }) =>
    artificialScore(ofFaceModel(it.results)),
  );
  assert.ok(scores.length >= 2, JSON.stringify(details));
  assert.equal(artificialScore(ofFaceModel(results)), Math.max(...scores));
});

test('a face too small for the model is shown and not judged', { skip }, async () => {
  const small = sharp(sharedData(...PORTRAIT)).resize({ width: 88 });
  const picture = await small
    .extend({ left: 60, right: 60, bottom: 60, background: '#fff' })
    .png()
    .toBuffer();
  const record = await classify(picture, { with_morphing: 'true' });
  const [detection] = record.details[0].detections;
  assert.ok(detection.box.x2 - detection.box.x1 < 64, JSON.stringify(detection.box));
  for (const results of [detection.results, record.results]) {
    const { unknown, classification } = ofFaceModel(results);
    assert.deepEqual([unknown, classification], [true, []]);
  }
  const [seen] = (await queryFaces(record.identifier)).details[0]?.detections[0]?.results ?? [];
  assert.equal(seen?.axis, 'swapped');
  assert.match(seen?.reason ?? '', /^The face has \d+ pixels on its short side; the model needs 64\.$/);
});

test('faces are found and judged in the frames of a video', { skip }, async () => {
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
    const face = ofFaceModel(image.details[0].detections[0].results);
    assert.equal(face.unknown, false);
    assert.deepEqual(artificialScore(ofFaceModel(image.results)), artificialScore(face));
  }
});

test('without a face the answer is unknown, never a score', async () => {
  const grey = sharp({ create: { width: 300, height: 300, channels: 3, background: '#808080' } });
  const record = await classify(await grey.jpeg().toBuffer(), { with_morphing: 'true' });
  assert.deepEqual(record.details, []);
  const { unknown, classification } = ofFaceModel(record.results);
  assert.deepEqual([unknown, classification], [true, []]);
});

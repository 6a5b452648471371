import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { credentials } from '@grpc/grpc-js';
import sharp from 'sharp';
import { submitFile } from '../../../evaluate/submit-file.ts';
import { AssayClient } from '../../../src/cli/daemon/client.ts';
import { AssessmentState } from '../../../src/grpc/gen/assay/v1/assessment_pb.ts';
import { type Classification, Status } from '../../../src/grpc/gen/assay/v1/classification_pb.ts';
import { MediaKind } from '../../../src/grpc/gen/assay/v1/media_pb.ts';
import { type OpenBox, openBox } from '../../app/open-box.ts';
import { TEST_KEY } from '../../daemon.ts';
import { writeTinyImagePack } from '../../interface/packs.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';

/** Log-odds are 20 times the brightness, 0..1, less 10. */
const REACH = 3;
const SIDE = 256;

let daemon: OpenBox;
let client: AssayClient;
const packs = await makeTemporaryFolder();

before(async () => {
  await writeTinyImagePack(packs.path, { id: 'tiny', minimumShortSide: 100, reach: REACH });
  daemon = await openBox({ env: { ASSAY_MODELS_FOLDERS: packs.path } });
  client = new AssayClient({ address: daemon.grpc, credentials: credentials.createInsecure() }, TEST_KEY);
});

after(async () => {
  client?.[Symbol.dispose]();
  await daemon?.[Symbol.asyncDispose]();
  await packs[Symbol.asyncDispose]();
});

async function classify(brightness: number): Promise<Classification> {
  const background = { r: brightness, g: brightness, b: brightness };
  const picture = sharp({ create: { width: SIDE, height: SIDE, channels: 3, background } });
  return await classifyBytes(await picture.jpeg({ quality: 95 }).toBuffer(), `${brightness}.jpg`);
}

async function classifyBytes(bytes: Buffer, name: string): Promise<Classification> {
  const header = { name, kind: MediaKind.IMAGE, options: { withHeatmap: true } };
  const record = await submitFile(client, { header, bytes, interrupted: new AbortController().signal });
  assert.equal(record.status, Status.DONE, record.errors);
  return record;
}

const copiesOf = ({ assessment }: Classification) => [
  assessment?.stability?.variants.map(({ name }) => name),
  assessment?.stability?.notNeeded,
];

test('a clear answer of either side costs no copies', async () => {
  for (const [brightness, state] of [
    [20, AssessmentState.HUMAN],
    [240, AssessmentState.ARTIFICIAL],
  ] as const) {
    const record = await classify(brightness);
    assert.equal(record.assessment?.state, state);
    assert.deepEqual(copiesOf(record), [[], ['jpeg-60', 'scale-75']]);
    assert.equal(record.assessment?.stability?.flips, 0);
  }
});

test('an answer within reach is tried on every copy, and the picture itself answers as before', async () => {
  const record = await classify(140);
  assert.deepEqual(copiesOf(record), [['jpeg-60', 'scale-75'], []]);
  const [copy] = record.assessment?.stability?.variants ?? [];
  assert.ok(Math.abs((copy?.logOdds ?? 0) - (20 * 140) / 255 + 10) < 0.2, `${copy?.logOdds}`);
});

test('GraphQL lists what was left out', async () => {
  const { identifier } = await classify(21);
  const query = `{ classification(identifier: "${identifier}") { assessment { stability { flips notNeeded variants { name } } } } }`;
  const response = await fetch(`${daemon.http}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': TEST_KEY },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = (await response.json()) as { data: { classification: object }; errors?: unknown };
  assert.equal(errors, undefined, JSON.stringify(errors));
  assert.deepEqual(data.classification, {
    assessment: { stability: { flips: 0, notNeeded: ['jpeg-60', 'scale-75'], variants: [] } },
  });
});

/** Grey frames of an animation by their brightness. */
async function animate(...brightness: number[]): Promise<Classification> {
  const rgb = Buffer.concat(brightness.map((value) => Buffer.alloc(SIDE * SIDE * 3, value)));
  const raw = { width: SIDE, height: SIDE * brightness.length, channels: 3 as const, pageHeight: SIDE };
  return await classifyBytes(await sharp(rgb, { raw }).webp({ lossless: true }).toBuffer(), 'moving.webp');
}

async function heatmapOf({ identifier }: Classification): Promise<Buffer> {
  const init = { headers: { 'x-api-key': TEST_KEY } };
  const response = await fetch(`${daemon.http}/media/${identifier}/heatmap`, init);
  assert.equal(response.status, 200);
  return Buffer.from(await response.arrayBuffer());
}

const noteOf = ({ assessment }: Classification, code: string) =>
  assessment?.reasons.find((reason) => reason.code === code)?.sentence ?? '';

test('the most suspicious frame of an animation decides, and is what copies and map are of', async () => {
  const record = await animate(20, 21, 22, 140, 23);
  assert.equal(record.assessment?.state, AssessmentState.ARTIFICIAL);
  assert.deepEqual(copiesOf(record), [['jpeg-60', 'scale-75'], []]);
  assert.match(noteOf(record, 'FIRST_PAGE_ONLY'), /first of 5 pages/);
  assert.match(
    noteOf(record, 'ANIMATION_FRAMES'),
    /5 frames of the animation; the most suspicious, number 4, decides/,
  );
  assert.deepEqual(await heatmapOf(record), await heatmapOf(await classify(140)));
});

test('an animation whose first frame is the most suspicious is judged by it', async () => {
  const record = await animate(240, 20, 21);
  assert.equal(record.assessment?.state, AssessmentState.ARTIFICIAL);
  assert.match(
    noteOf(record, 'ANIMATION_FRAMES'),
    /3 frames of the animation; the most suspicious, number 1/,
  );
});

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { TEST_KEY } from '../../daemon.ts';
import { type Data, GraphqlCaller } from '../../facade/graphql-caller.ts';
import { until } from '../../faults/rounds/submissions.ts';
import { writePicture } from '../../media/pictures.ts';
import { scene } from '../../media/scene.ts';
import { type OpenBox, openBox } from '../open-box.ts';

let daemon: OpenBox;
let folder: string;
let original: string;
let cut: string;
let flippedCopy: string;
let unlike: string;
let identifier: string;

const KEY = { 'x-api-key': TEST_KEY };

interface Found {
  identifier: string;
  degree: string;
  isMirrored?: boolean;
  places?: number | null;
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'assay-search-'));
  const whole = await scene(1).png().toBuffer();
  original = await writePicture(folder, 'original.png', whole);
  const part = await sharp(whole).extract({ left: 100, top: 80, width: 400, height: 300 }).jpeg().toBuffer();
  cut = await writePicture(folder, 'cut.jpg', part);
  flippedCopy = await writePicture(folder, 'flipped.jpg', await sharp(whole).flop().jpeg().toBuffer());
  unlike = await writePicture(folder, 'unlike.png', await scene(50).png().toBuffer());
  daemon = await openBox({ models: 'tiny' });
  const { out, err } = await daemon.assay('classify', '--json', original);
  assert.notEqual(out, '', err);
  identifier = String((JSON.parse(out) as { identifier: string }).identifier);
  await allDescribed();
});

after(async () => {
  await daemon[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function ask<T>(query: string, variables: Data): Promise<T> {
  return await new GraphqlCaller(daemon.http, TEST_KEY).read(query, variables);
}

/** Waits for the keypoints, which are described once no analysis waits. */
async function allDescribed(): Promise<void> {
  const query = 'query($id: ID!) { similarPictures(identifier: $id) { withoutParts } }';
  await until(async () => {
    const { similarPictures } = await ask<{ similarPictures: { withoutParts: number } }>(query, {
      id: identifier,
    });
    return similarPictures.withoutParts === 0;
  }, 'keypoints of all pictures');
}

async function findByPicture(
  path: string,
): Promise<{ search: { found: Found[] } | null; userErrors: object[] }> {
  const form = new FormData();
  const query = `mutation($input: FindByPictureInput!) { findByPicture(input: $input) {
    search { searched withoutParts found { identifier degree isMirrored places askedPart { left } } }
    userErrors { code message } } }`;
  form.set('operations', JSON.stringify({ query, variables: { input: { file: null } } }));
  form.set('map', JSON.stringify({ 0: ['variables.input.file'] }));
  form.set('0', new Blob([await readFile(path)]), 'picture');
  const response = await fetch(`${daemon.http}/graphql`, { method: 'POST', headers: KEY, body: form });
  const { data } = (await response.json()) as {
    data: { findByPicture: { search: { found: Found[] } | null; userErrors: object[] } };
  };
  return data.findByPicture;
}

test('a part and a mirrored copy are found on the command line, and nothing is kept', async () => {
  const part = await daemon.assay('find', '--json', cut);
  assert.equal(part.code, 0, part.err);
  const [found] = (JSON.parse(part.out) as { found: Found[] }).found;
  assert.deepEqual([found?.identifier, found?.degree], [identifier, 'LIKENESS_DEGREE_SHARED_PART']);
  const mirrored = await daemon.assay('find', flippedCopy);
  assert.match(mirrored.out, /1 found among 1 picture or frame\n.*same picture .*mirrored/);
  const nothing = await daemon.assay('find', unlike);
  assert.deepEqual([nothing.code, /0 found among 1/.test(nothing.out)], [1, true]);
  const { classifications } = await ask<{ classifications: { nodes: object[] } }>(
    'query { classifications(first: 10) { nodes { identifier } } }',
    {},
  );
  assert.equal(classifications.nodes.length, 1);
});

test('GraphQL finds the same, and says what is wrong with a file', async () => {
  const { search } = await findByPicture(cut);
  assert.deepEqual(
    search?.found.map((one) => [one.identifier, one.degree, one.isMirrored]),
    [[identifier, 'SHARED_PART', false]],
  );
  const text = await writePicture(folder, 'text.txt', Buffer.from('no picture at all'));
  const refused = await findByPicture(text);
  assert.equal(refused.search, null);
  assert.equal(refused.userErrors.length, 1, JSON.stringify(refused));
});

test('a record finds its later part, without itself, and knows of later copies', async () => {
  const submitted = await daemon.assay('classify', '--json', cut);
  const cutIdentifier = String((JSON.parse(submitted.out) as { identifier: string }).identifier);
  await allDescribed();
  const query = 'query($id: ID!) { similarPictures(identifier: $id) { found { identifier degree } } }';
  const { similarPictures } = await ask<{ similarPictures: { found: Found[] } }>(query, { id: identifier });
  assert.deepEqual(similarPictures.found, [{ identifier: cutIdentifier, degree: 'SHARED_PART' }]);
  const byCommand = await daemon.assay('find', '--record', '--json', cutIdentifier);
  const [found] = (JSON.parse(byCommand.out) as { found: Found[] }).found;
  assert.equal(found?.identifier, identifier);
  const again = await daemon.assay('classify', '--json', flippedCopy);
  const againIdentifier = String((JSON.parse(again.out) as { identifier: string }).identifier);
  const { classification } = await ask<{ classification: { seenAgain: object[] } }>(
    'query($id: ID!) { classification(identifier: $id) { seenAgain { identifier relation } } }',
    { id: identifier },
  );
  assert.deepEqual(classification.seenAgain, [{ identifier: againIdentifier, relation: 'MIRRORED_COPY' }]);
  const unknown = await daemon.assay('find', '--record', 'f'.repeat(64));
  assert.match(unknown.err, /no such classification/);
});

test('no search finds a deleted record', async () => {
  await ask('mutation($id: ID!) { deleteClassification(identifier: $id) { userErrors { message } } }', {
    id: identifier,
  });
  const { search } = await findByPicture(original);
  const found = search?.found.map((one) => one.identifier) ?? [];
  assert.ok(!found.includes(identifier) && found.length > 0, 'its copies are still there');
});

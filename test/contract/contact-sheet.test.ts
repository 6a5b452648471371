import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import sharp from 'sharp';
import { readPackage } from '../../src/evidence/zip-reader.ts';
import { type Outcome, runCommand } from '../cli/run-command.ts';
import { until } from '../faults/rounds/submissions.ts';
import { makeClip, makePicture, makeSpeech } from '../interface/media.ts';
import { addCustomer, type Customer, type Service, shareService } from '../interface/service.ts';

const FRAMES = 5;
const POLL_MS = 40;
/** The difference that scaling makes to a frame of flat colours. */
const TOLERANCE = 3;

let service: Service;
let owner: Customer;
let identifier: string;

before(async () => {
  service = await shareService();
  owner = await addCustomer(service);
  const clip = makeClip({ seconds: 4 });
  ({ identifier } = await owner.classify('video', { video: clip, frames: String(FRAMES) }));
});

after(async () => {
  await service?.[Symbol.asyncDispose]();
});

/** The answer once the file is made. */
async function fetchSheet(name = 'sheet.png', of = identifier, { key } = owner): Promise<Response> {
  for (;;) {
    const url = `${service.url}/media/${of}/rendition/${name}`;
    const response = await fetch(url, { headers: { 'x-api-key': key } });
    if (response.status !== 202) return response;
    await response.arrayBuffer();
    await delay(POLL_MS);
  }
}

async function sheetBytes(): Promise<Buffer> {
  const response = await fetchSheet();
  assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'image/png']);
  return Buffer.from(await response.arrayBuffer());
}

function assay(args: readonly string[], { key } = owner): Promise<Outcome> {
  return runCommand({ address: service.grpc, key }, args);
}

// biome-ignore lint/suspicious/noExplicitAny: each test names the fields that it expects
async function ask(query: string): Promise<any> {
  const headers = { 'x-api-key': owner.key, 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify({ query }) };
  const { data, errors } = await (await fetch(`${service.url}/graphql`, init)).json();
  assert.equal(errors, undefined, JSON.stringify(errors));
  return data;
}

interface Place {
  timeSeconds: number;
  left: number;
  top: number;
  width: number;
  height: number;
}

test('each analysed frame lies on the sheet at the place of its description', async () => {
  const sheet = await sheetBytes();
  const { width, height, frames } = (await (await fetchSheet('sheet.json')).json()) as {
    width: number;
    height: number;
    frames: Place[];
  };
  const metadata = await sharp(sheet).metadata();
  assert.deepEqual([metadata.width, metadata.height], [width, height]);
  assert.equal(frames.length, FRAMES);
  for (const [index, { left, top, ...sides }] of frames.entries()) {
    const url = `${service.url}/media/${identifier}/frame/${index}`;
    const frame = await fetch(url, { headers: { 'x-api-key': owner.key } });
    const scaled = sharp(await frame.arrayBuffer()).resize({ ...sides, fit: 'contain' });
    const expected = await scaled.removeAlpha().raw().toBuffer();
    const place = sharp(sheet).extract({ left, top, ...sides });
    const found = await place.removeAlpha().raw().toBuffer();
    assert.equal(found.length, expected.length);
    assert.ok(found.every((value, at) => Math.abs(value - (expected[at] ?? 0)) <= TOLERANCE));
  }
});

test('GraphQL names the sheet, and the command line saves the same bytes and names the second', async () => {
  const query = `{ classification(identifier: "${identifier}") { renditions { kind state url mimetype } } }`;
  const { classification } = await ask(query);
  const listed = classification.renditions.find(({ kind }: { kind: string }) => kind === 'SHEET');
  const url = `${service.url}/media/${identifier}/rendition/sheet.png`;
  assert.deepEqual(listed, { kind: 'SHEET', state: 'READY', url, mimetype: 'image/png' });
  const path = join(service.open.folder, 'sheet.png');
  const { code, out, err } = await assay(['contact-sheet', identifier, '-o', path, '--json']);
  assert.equal(code, 0, err);
  assert.deepEqual(await readFile(path), await sheetBytes());
  const { most_suspicious: most, ...printed } = JSON.parse(out);
  assert.deepEqual(printed, { path });
  const { images } = (await owner.get(`/api/classification_video/${identifier}`)).body.results;
  assert.equal(images.length, FRAMES);
  assert.ok(most.probability > 0.5 && most.seconds >= 0 && most.seconds < 4, JSON.stringify(most));
  const shown = await assay(['get', identifier]);
  assert.match(shown.out, /most suspicious +0:0\d\.\d, \d+ % chance of AI/);
});

test('a removed rendition is drawn again as it was, bit by bit', async () => {
  const first = await sheetBytes();
  const analysisId = service.open.app.store.read.records.get(identifier)?.analysisId ?? '';
  await service.open.app.store.renditions.removeAll(analysisId);
  assert.deepEqual(await sheetBytes(), first);
});

test('an evidence package and its report hold the sheet', async () => {
  const path = join(service.open.folder, 'package.zip');
  const { code, err } = await assay(['evidence', 'export', identifier, '-o', path, '--language', 'it']);
  assert.equal(code, 0, err);
  const { hashes, faults } = await readPackage(path);
  assert.deepEqual(faults, []);
  const sheet = await sheetBytes();
  assert.equal(hashes.get('data/contact-sheet.png'), createHash('sha256').update(sheet).digest('hex'));
});

test('a foreign record is as absent as an unknown one, and pictures and sounds have no sheet', async () => {
  const other = await addCustomer(service);
  const unknown = '0'.repeat(64);
  const path = join(service.open.folder, 'no.png');
  const answers = [];
  for (const asked of [identifier, unknown]) {
    const response = await fetchSheet('sheet.png', asked, other);
    const { code, err } = await assay(['contact-sheet', asked, '-o', path], other);
    answers.push([response.status, await response.text(), code, err]);
  }
  assert.equal(answers[0]?.[0], 404);
  assert.deepEqual(answers[0], answers[1]);
  assert.equal(existsSync(path), false);
  const picture = await owner.classify('image', { image: await makePicture() });
  const sound = await owner.classify('audio', { audio: makeSpeech() });
  for (const { identifier: silent } of [picture, sound]) {
    const response = await fetchSheet('sheet.png', silent);
    assert.equal(response.status, 404);
    assert.match(await response.text(), /there is no such rendition of this record/);
  }
});

test('under zero retention no sheet is kept', async () => {
  const shy = await addCustomer(service, { plan: { zero_retention: true } });
  const clip = makeClip({ seconds: 3 });
  const record = await shy.classify('video', { video: clip, frames: String(FRAMES) });
  const analysisId = service.open.app.store.read.records.get(record.identifier)?.analysisId ?? 'none';
  const isSwept = async (): Promise<boolean> => !service.open.app.store.artifacts.isThere(analysisId);
  await until(isSwept, 'the frames to go');
  const response = await fetchSheet('sheet.png', record.identifier, shy);
  assert.equal(response.status, 404);
  assert.match(await response.text(), /media of this record are not stored/);
  assert.equal(existsSync(join(service.open.folder, 'renditions', analysisId)), false);
});

test('the sheet goes with the artifacts of its analysis, however these are removed', async () => {
  const { store } = service.open.app;
  const clip = makeClip({ seconds: 3 });
  const kept = await owner.classify('video', { video: clip, frames: String(FRAMES) });
  const folderOf = (of: string): string =>
    join(service.open.folder, 'renditions', store.read.records.get(of)?.analysisId ?? 'none');
  assert.equal((await fetchSheet('sheet.png', kept.identifier)).status, 200);
  const swept = folderOf(kept.identifier);
  assert.ok(existsSync(swept));
  // Removes the artifacts as retention does, while the record stays.
  await store.artifacts.removeAll(store.read.records.get(kept.identifier)?.analysisId ?? '');
  assert.equal(existsSync(swept), false);
  const gone = await fetchSheet('sheet.png', kept.identifier);
  assert.equal(gone.status, 404);
  assert.match(await gone.text(), /media of this record are not stored/);
  const own = folderOf(identifier);
  assert.ok(existsSync(own));
  const query = `mutation { deleteClassification(identifier: "${identifier}") { userErrors { message } } }`;
  await ask(query);
  assert.equal(existsSync(own), false);
  assert.equal((await fetchSheet()).status, 404);
});

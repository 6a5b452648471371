/** docs/interface.md, Resources and their fields: each record of each kind, present or absent exactly as the notes say. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { sharedData, skipWithoutSharedData } from '../shared-data.ts';
import { assertFits } from './description.ts';
import { makeClip, makePicture, makeSpeech } from './media.ts';
import { addCustomer, type Customer, fileOf, type Service, shareService } from './service.ts';

const HEURISTICS = ['balanced', 'cautious', 'sensitive', 'majority'];
const HEAD = ['hash', 'identifier', 'api_version', 'status', 'errors', 'name', 'ref_id', 'result_url'];
const NEW_HEAD = HEAD.filter((name) => name !== 'api_version');
const VERDICT = ['heuristic', 'confidence', 'classification', 'models'];
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

let service: Service;
let customer: Customer;
before(async () => {
  service = await shareService();
  customer = await addCustomer(service);
});
after(async () => await service[Symbol.asyncDispose]());

// biome-ignore lint/suspicious/noExplicitAny: the test names the fields that it expects
type Json = any;

function assertVerdicts({ verdict, verdicts }: Json, fields: string[]): void {
  assert.deepEqual(Object.keys(verdict), fields);
  assert.deepEqual(
    verdicts.map(({ heuristic }: Json) => heuristic),
    HEURISTICS,
  );
  for (const each of verdicts) {
    assert.deepEqual(Object.keys(each), fields);
    assert.ok(['human', 'artificial'].includes(each.classification));
    assert.ok(each.confidence >= 0 && each.confidence <= 1);
  }
  assert.deepEqual(
    verdict,
    verdicts.find(({ heuristic }: Json) => heuristic === verdict.heuristic),
  );
}

function assertResult(result: Json): void {
  const fields = ['model', 'unknown', 'elapsed_time', 'classification', 'classification_details'];
  assert.deepEqual(Object.keys(result), fields);
  if (result.unknown) {
    assert.deepEqual(result.classification, []);
    return;
  }
  assert.deepEqual(
    result.classification.map(({ label }: Json) => label),
    ['human', 'artificial'],
  );
  const sum = result.classification.reduce((total: number, { score }: Json) => total + score, 0);
  assert.ok(Math.abs(sum - 1) < 1e-6);
}

test('image record: every field, in the documented order, and none besides', async () => {
  const bytes = await makePicture();
  const record = await customer.classify('image', { image: fileOf(bytes, 'harbour.png'), ref_id: 'r-1' });
  const rest = ['c2pa', 'has_heatmap', 'verdict', 'verdicts', 'results', 'details'];
  assert.deepEqual(Object.keys(record), [...HEAD, ...rest]);
  assert.equal(record.hash, sha256(bytes), '"SHA-256 of the image file"');
  assert.equal(record.api_version, '1.1.0', '"set when the analysis completes"');
  assert.deepEqual([record.status, record.errors], ['done', '']);
  assert.deepEqual([record.name, record.ref_id], ['harbour.png', 'r-1']);
  assert.ok(record.result_url.endsWith(`/classifications/${record.identifier}`));
  assert.equal(record.c2pa, null, '"null when the image has no C2PA metadata"');
  assert.equal(record.has_heatmap, false);
  assert.deepEqual(record.details, []);
  assertVerdicts(record, VERDICT);
  for (const result of record.results) assertResult(result);
});

test('image record: "results: one per model used"; "models that contributed"', async () => {
  const record = await customer.classify('image', { image: await makePicture() });
  const models = record.results.map(({ model }: Json) => model).sort();
  assert.deepEqual(models, ['tiny-coarse', 'tiny-fine']);
  assert.deepEqual([...record.verdict.models].sort(), models);
  assert.equal(record.verdict.classification, 'artificial');
  const dark = await customer.classify('image', { image: await makePicture({ isBright: false }) });
  assert.equal(dark.verdict.classification, 'human');
});

test('image record: has_heatmap is true where one was asked for', async () => {
  const record = await customer.classify('image', { image: await makePicture(), with_heatmap: 'true' });
  assert.equal(record.has_heatmap, true);
});

test('image record: is_nsfw is absent where with_nsfw was not asked for', async () => {
  const record = await customer.classify('image', { image: await makePicture() });
  assert.equal('is_nsfw' in record, false);
});

const FIRST = [
  { kind: 'image', media: () => makePicture(), more: { c2pa: null, has_heatmap: false, details: [] } },
  { kind: 'video', media: async () => makeClip(), more: { results: { images: [], audios: [] } } },
  { kind: 'audio', media: async () => makeSpeech(), more: { details: { clips: [] } } },
] as const;
for (const { kind, media, more } of FIRST) {
  test(`${kind} record: "new" until the analysis is complete, without api_version and verdict`, async () => {
    const bytes = await media();
    const identifier = await customer.submit(`/api/classification_${kind}`, { [kind]: bytes });
    const { body } = await customer.get(`/api/classification_${kind}/${identifier}`);
    assert.equal(body.status, 'new', 'the analysis was quicker than the test');
    const { result_url, ...record } = body;
    assert.deepEqual(record, {
      ...{ hash: sha256(bytes), identifier, status: 'new', errors: '', name: `${kind}.bin`, ref_id: '' },
      ...{ verdicts: [], results: [], ...more },
    });
    assert.deepEqual(Object.keys(body).slice(0, NEW_HEAD.length), NEW_HEAD);
    await customer.ended(kind, identifier);
  });
}

test('audio record: every field, clips with results and verdict', async () => {
  const bytes = makeSpeech({ seconds: 8 });
  const record = await customer.classify('audio', { audio: bytes });
  assert.deepEqual(Object.keys(record), [...HEAD, 'verdict', 'verdicts', 'results', 'details']);
  assert.equal(record.hash, sha256(bytes), '"SHA-256 of the audio file"');
  assertVerdicts(record, VERDICT);
  assert.deepEqual(
    record.results.map(({ model }: Json) => model),
    ['tiny-speech'],
  );
  assert.equal(record.verdict.classification, 'artificial');
  assert.ok(record.details.clips.length > 0);
  for (const [place, clip] of record.details.clips.entries()) {
    assert.deepEqual(Object.keys(clip), ['index', 'start', 'end', 'results', 'verdict']);
    assert.ok(clip.index === place && clip.start < clip.end && clip.end <= 8.1);
    assert.deepEqual(Object.keys(clip.verdict), VERDICT);
    for (const result of clip.results) assertResult(result);
  }
});

test('video record: every field, and whole records of frames and track inside', async () => {
  const bytes = makeClip({ withSound: 'aac' as never });
  const record = await customer.classify('video', { video: bytes, frames: '5', with_audio: 'true' });
  assert.deepEqual(Object.keys(record), [...HEAD, 'verdict', 'verdicts', 'results']);
  assert.equal(record.hash, sha256(bytes), '"SHA-256 of the video file"');
  assertVerdicts(record, [...VERDICT, 'count', 'unknown']);
  assert.ok(Number.isInteger(record.verdict.count));
  assert.equal(record.verdict.unknown, false);
  assert.deepEqual(Object.keys(record.results), ['images', 'audios']);
  assert.equal(record.results.images.length, 5);
  for (const image of record.results.images) {
    assertFits('ImageClassification', image);
    const alone = await customer.get(`/api/classification/${image.identifier}`);
    assert.deepEqual(alone.body, image, 'a frame is read by its own identifier');
  }
  const [audio] = record.results.audios;
  assertFits('AudioClassification', audio);
  const alone = await customer.get(`/api/classification_audio/${audio.identifier}`);
  assert.deepEqual(alone.body, audio);
});

test('video record: no track without with_audio', async () => {
  const record = await customer.classify('video', { video: makeClip({ withSound: 'aac' as never }) });
  assert.deepEqual(record.results.audios, []);
});

test('"errored: analysis failed; errors holds the messages"', async () => {
  const identifier = await customer.submit('/api/image_fromurl', { file_url: 'http://127.0.0.1:9/a.png' });
  const record = await customer.ended('image', identifier);
  assert.equal(record.status, 'errored');
  assert.notEqual(record.errors, '');
  assert.equal('verdict' in record, false);
});

test('"verdict: main verdict, user\'s default heuristic"', async () => {
  for (const heuristic of HEURISTICS) {
    const own = await addCustomer(service, { user: { heuristic } });
    const record = await own.classify('image', { image: await makePicture() });
    assert.equal(record.verdict.heuristic, heuristic);
  }
});

const skip = skipWithoutSharedData('c2pa');
const signed = (): Buffer => readFileSync(sharedData('c2pa', 'py-C.jpg'));

test('c2pa: the documented object, and "forces the origin to artificial"', { skip }, async () => {
  const record = await customer.classify('image', { image: signed() });
  const names = ['manifests', 'active_manifest', 'validation_state', 'validation_status'];
  assert.deepEqual(Object.keys(record.c2pa), [...names, 'validation_results']);
  assert.equal(record.c2pa.validation_state, 'Valid');
  assert.ok(record.c2pa.active_manifest in record.c2pa.manifests);
  for (const verdict of [record.verdict, ...record.verdicts]) {
    assert.deepEqual([verdict.classification, verdict.confidence], ['artificial', 1]);
    assert.ok(verdict.models.includes('c2pa'));
  }
});

test('prevent_c2pa_forces: "true: a C2PA signature does not force origin to artificial"', {
  skip,
}, async () => {
  const record = await customer.classify('image', { image: signed(), prevent_c2pa_forces: 'true' });
  assert.notEqual(record.c2pa, null);
  for (const verdict of record.verdicts) assert.equal(verdict.models.includes('c2pa'), false);
});

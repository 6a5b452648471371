import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { FF_ENCODER_MPEG4 } from 'node-av/constants';
import sharp from 'sharp';
import { until } from '../faults/rounds/submissions.ts';
import { makeClip, makePicture, makeSpeech } from '../interface/media.ts';
import { addCustomer, type Customer, openService, type Service } from '../interface/service.ts';
import { filmChildOf } from '../media/film-child.ts';

let service: Service;
let owner: Customer;

before(async () => {
  service = await openService({ ASSAY_RENDITION_BYTES_MAX: '60000' });
  owner = await addCustomer(service);
});

after(async () => {
  await service?.[Symbol.asyncDispose]();
});

function fetchMedia(path: string, init: RequestInit = {}, customer = owner): Promise<Response> {
  const headers = { 'x-api-key': customer.key, ...init.headers };
  return fetch(`${service.url}/media/${path}`, { ...init, headers });
}

/** The answer once the file is made. */
async function made(path: string): Promise<Response> {
  let response = await fetchMedia(path);
  const isMade = async (): Promise<boolean> => {
    if (response.status !== 202) return true;
    await response.arrayBuffer();
    assert.equal(response.headers.get('retry-after'), '2');
    response = await fetchMedia(path);
    return response.status !== 202;
  };
  await until(isMade, path);
  return response;
}

interface Listed {
  kind: string;
  state: string;
  url: string;
  isNeeded: boolean;
  madeFrom: string;
  width: number | null;
  height: number | null;
  error: string;
}

const QUERY = `query ($identifier: ID!) { classification(identifier: $identifier) { hash
  renditions { kind state url isNeeded madeFrom width height error }
  ... on VideoClassification { audios { identifier renditions { kind state url } } } } }`;

interface Asked {
  hash: string;
  renditions: Listed[];
  audios: { identifier: string; renditions: Listed[] }[];
}

async function ask(identifier: string): Promise<Asked> {
  const body = JSON.stringify({ query: QUERY, variables: { identifier } });
  const headers = { 'x-api-key': owner.key, 'content-type': 'application/json' };
  const response = await fetch(`${service.url}/graphql`, { method: 'POST', headers, body });
  const { data, errors } = (await response.json()) as { data: { classification: Asked }; errors?: unknown };
  assert.equal(errors, undefined, JSON.stringify(errors));
  return data.classification;
}

async function remove(identifier: string): Promise<void> {
  const query = `mutation { deleteClassification(identifier: "${identifier}") { userErrors { message } } }`;
  const headers = { 'x-api-key': owner.key, 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify({ query }) };
  const { errors } = (await (await fetch(`${service.url}/graphql`, init)).json()) as { errors?: unknown };
  assert.equal(errors, undefined, JSON.stringify(errors));
}

async function submitTiff(): Promise<string> {
  const { identifier } = await owner.classify('image', { image: await makePicture({ format: 'tiff' }) });
  return identifier;
}

const keptFolder = (): string => join(service.open.folder, 'renditions');

test('a TIFF is shown as a WebP, which is announced, served with ranges and named as what it is', async () => {
  const identifier = await submitTiff();
  const before = await ask(identifier);
  assert.deepEqual(
    before.renditions.map(({ kind, state, isNeeded, madeFrom }) => [kind, state, isNeeded, madeFrom]),
    [
      ['PICTURE', 'NONE', true, before.hash],
      ['THUMBNAIL', 'NONE', false, before.hash],
    ],
  );
  const path = `${identifier}/rendition/picture.webp`;
  assert.equal(before.renditions[0]?.url, `${service.url}/media/${path}`);
  const response = await made(path);
  assert.equal(response.status, 200);
  const { headers } = response;
  assert.equal(headers.get('content-type'), 'image/webp');
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.match(headers.get('content-security-policy') ?? '', /^sandbox/);
  const bytes = Buffer.from(await response.arrayBuffer());
  const { format, width, height } = await sharp(bytes).metadata();
  assert.deepEqual([format, width, height], ['webp', 240, 220]);
  const [after] = (await ask(identifier)).renditions;
  assert.deepEqual([after?.state, after?.width, after?.height], ['READY', 240, 220]);
  const etag = headers.get('etag') ?? '';
  assert.match(etag, /^"[0-9a-f]{64}"$/);
  assert.equal((await fetchMedia(path, { headers: { 'if-none-match': etag } })).status, 304);
  const part = await fetchMedia(path, { headers: { range: 'bytes=4-11' } });
  assert.equal(part.status, 206);
  assert.deepEqual(Buffer.from(await part.arrayBuffer()), bytes.subarray(4, 12));
  const head = await fetchMedia(path, { method: 'HEAD' });
  assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(bytes.length)]);
});

test('another account, an unknown record and an unknown rendition are equally absent', async () => {
  const identifier = await submitTiff();
  const other = await addCustomer(service);
  const paths = ['picture.webp', 'film.webm', 'tiles/0/0_0.webp', 'manifest.json', '..%2f..%2fadmin.key'];
  for (const name of paths) {
    const foreign = await fetchMedia(`${identifier}/rendition/${name}`, {}, other);
    assert.equal(foreign.status, 404, name);
    await foreign.arrayBuffer();
    if (name === 'picture.webp') continue;
    assert.equal((await fetchMedia(`${identifier}/rendition/${name}`)).status, 404, name);
  }
  const anonymous = await fetch(`${service.url}/media/${identifier}/rendition/picture.webp`);
  assert.equal(anonymous.status, 401);
  const [none] = (await ask(identifier)).renditions;
  assert.equal(none?.state, 'NONE');
});

test('a film that many clients request at once is made once, and has a strip', async () => {
  const clip = makeClip({ container: 'matroska', codec: FF_ENCODER_MPEG4, seconds: 4 });
  const { identifier } = await owner.classify('video', { video: clip, frames: '5' });
  const path = `${identifier}/rendition/film.webm`;
  const before = await filmsMade();
  const answers = await Promise.all(Array.from({ length: 6 }, () => made(path)));
  const tags = new Set(answers.map(({ headers }) => headers.get('etag')));
  assert.deepEqual([...answers.map(({ status }) => status)], Array(6).fill(200));
  assert.equal(tags.size, 1);
  assert.equal(answers[0]?.headers.get('content-type'), 'video/webm');
  await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  // A rendition is there a moment before it is counted.
  await until(async () => (await filmsMade()) > before, 'the film to be counted');
  assert.equal((await filmsMade()) - before, 1);
  const strip = (await (await made(`${identifier}/rendition/strip.json`)).json()) as Record<string, unknown>;
  assert.equal((strip.times as number[]).length, 16);
  const picture = await sharp(
    await (await made(`${identifier}/rendition/strip.webp`)).arrayBuffer(),
  ).metadata();
  assert.equal(picture.width, 16 * Number(strip.width));
});

async function filmsMade(): Promise<number> {
  const text = await service.open.app.metrics.registry.metrics();
  return Number(/_count\{step="rendition-film"\} (\d+)/.exec(text)?.[1] ?? 0);
}

test('a recording has peaks and a spectrum; the track of a video has its own', async () => {
  const { identifier } = await owner.classify('audio', { audio: makeSpeech() });
  const response = await made(`${identifier}/rendition/peaks.json`);
  const { durationSeconds, peaks } = (await response.json()) as { durationSeconds: number; peaks: number[] };
  assert.ok(Math.abs(durationSeconds - 3) < 0.01 && peaks.length > 1000 && Math.max(...peaks) > 60);
  assert.equal(
    (await made(`${identifier}/rendition/spectrum.webp`)).headers.get('content-type'),
    'image/webp',
  );
  const clip = makeClip({ withSound: 'aac' as never, seconds: 3 });
  const video = await owner.classify('video', { video: clip, frames: '5', with_audio: 'true' });
  const [track] = (await ask(video.identifier)).audios;
  assert.deepEqual(
    track?.renditions.map(({ kind, state }) => [kind, state]),
    [['PEAKS', 'NONE']],
  );
  assert.equal((await made(`${track?.identifier}/rendition/peaks.json`)).status, 200);
});

test('a rendition whose child is killed again and again ends in 422, and leaves the record as it was', async () => {
  const clip = makeClip({ container: 'matroska', seconds: 25, fps: 30, width: 640, height: 480 });
  const record = await owner.classify('video', { video: clip, frames: '5' });
  const path = `${record.identifier}/rendition/film.webm`;
  const answer = fetchMedia(path);
  const killed = new Set<number>();
  let isOver = false;
  const killing = (async () => {
    while (!isOver) {
      const film = filmChildOf(process.pid, killed);
      if (film !== undefined) {
        killed.add(film);
        process.kill(film, 'SIGKILL');
      }
      await delay(20);
    }
  })();
  await (await answer).arrayBuffer();
  const response = await made(path);
  isOver = true;
  await killing;
  assert.equal(response.status, 422);
  assert.match(await response.text(), /no rendition can be made of this file: the decoder ended over it/);
  const listed = (await ask(record.identifier)).renditions.find(({ kind }) => kind === 'FILM');
  assert.equal(listed?.state, 'FAILED');
  assert.deepEqual(await owner.ended('video', record.identifier), record);
  assert.deepEqual(
    readdirSync(keptFolder()).filter((name) => name.startsWith('.')),
    [],
  );
});

test('too many renditions evict the least recently used, and a deletion takes all of a file', async () => {
  const identifiers: string[] = [];
  for (let index = 0; index < 4; index += 1) {
    const noisy = await sharp({
      create: {
        ...{ width: 420 + index, height: 300, channels: 3, background: '#888' },
        noise: { type: 'gaussian', mean: 128, sigma: 60 },
      },
    })
      .tiff()
      .toBuffer();
    const { identifier } = await owner.classify('image', { image: noisy });
    identifiers.push(identifier);
    await (await made(`${identifier}/rendition/picture.webp`)).arrayBuffer();
  }
  const states = await Promise.all(identifiers.map(async (it) => (await ask(it)).renditions[0]?.state));
  assert.equal(states[0], 'NONE', 'the oldest made room');
  assert.equal(states.at(-1), 'READY', 'the newest stays');
  const last = identifiers.at(-1) ?? '';
  const { hash } = await ask(last);
  assert.ok(existsSync(join(keptFolder(), hash)));
  await remove(last);
  assert.equal(existsSync(join(keptFolder(), hash)), false);
  assert.equal((await fetchMedia(`${last}/rendition/picture.webp`)).status, 404);
});

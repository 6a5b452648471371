import { equal, match } from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type OpenBox, openBox } from '../app/open-box.ts';
import { TEST_KEY } from '../daemon.ts';
import { awaitEnds, distinctPicture } from '../faults/rounds/submissions.ts';

const ADMIN = { email: 'desk@example.org', password: 'correct horse battery' };
const TUS = { 'tus-resumable': '1.0.0' };
const PIECE = { ...TUS, 'content-type': 'application/offset+octet-stream' };

let daemon: OpenBox;
let picture: Buffer;
/** Headers that our own page sends. */
let page: Record<string, string>;

before(async () => {
  const env = { ASSAY_ADMIN_EMAIL: ADMIN.email, ASSAY_ADMIN_PASSWORD: ADMIN.password };
  daemon = await openBox({ models: 'tiny', env });
  picture = await distinctPicture(1);
  const origin = daemon.http;
  const signedIn = await fetch(`${daemon.http}/session/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify(ADMIN),
  });
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  const session = await fetch(`${daemon.http}/session`, { headers: { cookie, origin } });
  const { csrfToken } = (await session.json()) as { csrfToken: string };
  page = { cookie, origin, 'x-assay-csrf': csrfToken };
});

after(async () => await daemon[Symbol.asyncDispose]());

function begin(headers: Record<string, string>): Promise<Response> {
  const metadata = { filename: 'picture.jpg', kind: 'image', ref_id: 'by session' };
  const words = Object.entries(metadata).map(([name, text]) => `${name} ${btoa(text)}`);
  const about = { 'upload-length': String(picture.length), 'upload-metadata': words.join(',') };
  return fetch(`${daemon.http}/files`, { method: 'POST', headers: { ...TUS, ...about, ...headers } });
}

function send(url: string, from: number, to: number, headers: Record<string, string>): Promise<Response> {
  const body = new Uint8Array(picture.subarray(from, to));
  const about = { ...PIECE, 'upload-offset': String(from) };
  return fetch(url, { method: 'PATCH', headers: { ...about, ...headers }, body });
}

async function offsetAt(url: string, headers: Record<string, string>): Promise<string | null> {
  const response = await fetch(url, { method: 'HEAD', headers: { ...TUS, ...headers } });
  return response.headers.get('upload-offset');
}

async function urlOf(response: Response): Promise<string> {
  equal(response.status, 201, await response.clone().text());
  return new URL(response.headers.get('location') ?? '', daemon.http).href;
}

test('a session alone begins, queries, continues and submits an upload', async () => {
  const url = await urlOf(await begin(page));
  const half = Math.floor(picture.length / 2);
  equal((await send(url, 0, half, page)).status, 204);
  const { cookie = '', origin = '' } = page;
  equal(await offsetAt(url, { cookie, origin }), String(half), 'reading needs no token');
  const last = await send(url, half, picture.length, page);
  equal(last.status, 200);
  const identifier = last.headers.get('assay-identifier') ?? '';
  match(identifier, /^[0-9a-f]{64}$/);
  equal((await awaitEnds(daemon, [identifier]))[0], 'done');
  const record = await fetch(`${daemon.http}/api/classification/${identifier}`, {
    headers: { 'x-api-key': TEST_KEY },
  });
  equal(((await record.json()) as { ref_id: string }).ref_id, 'by session');
});

test('a client without PATCH names it in a header, at an endpoint with a slash behind it', async () => {
  const metadata = { 'upload-metadata': `filename ${btoa('b.jpg')},kind ${btoa('image')}` };
  const about = { ...TUS, ...metadata, 'upload-length': String(picture.length) };
  const key = { 'x-api-key': TEST_KEY };
  const begun = await fetch(`${daemon.http}/files/`, { method: 'POST', headers: { ...about, ...key } });
  const url = await urlOf(begun);
  const headers = { ...PIECE, ...key, 'upload-offset': '0', 'x-http-method-override': 'PATCH' };
  const body = new Uint8Array(picture);
  const last = await fetch(url, { method: 'POST', headers, body });
  equal(last.status, 200, await last.text());
  match(last.headers.get('assay-identifier') ?? '', /^[0-9a-f]{64}$/);
  equal((await fetch(url, { method: 'POST', headers: { ...PIECE, ...key }, body })).status, 404);
});

test('a foreign page, or our own without the token, neither begins nor continues an upload', async () => {
  const { 'x-assay-csrf': _, ...untokened } = page;
  const foreign = { ...page, origin: 'https://evil.example' };
  const strange = { ...page, 'x-assay-csrf': '0'.repeat(64) };
  const url = await urlOf(await begin(page));
  for (const headers of [untokened, foreign, strange]) {
    equal((await begin(headers)).status, 401);
    equal((await send(url, 0, 10, headers)).status, 401);
  }
  const { cookie = '' } = page;
  equal(await offsetAt(url, { cookie, origin: 'https://evil.example' }), null);
  equal(await offsetAt(url, page), '0', 'not one byte was taken');
});

import { deepEqual, equal, match } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { IMAGE_BYTES_MAX } from '../../../src/domain/limits.ts';
import { awaitEnds, distinctPicture, KEY_HEADERS } from '../../faults/rounds/submissions.ts';
import { type OpenBox, openBox } from '../open-box.ts';

const picture = await distinctPicture(7);
let daemon: OpenBox;
let origin = '';
const server = createServer((request, response) => {
  if (request.url?.startsWith('/photo.jpg') === true) response.end(picture);
  else if (request.url === '/named') {
    response.writeHead(200, { 'content-disposition': 'attachment; filename="harbour.jpg"' }).end(picture);
  } else if (request.url === '/large.jpg') response.end(Buffer.alloc(IMAGE_BYTES_MAX + 1));
  else if (request.url === '/text.jpg') response.end('this is no picture');
  else if (request.url === '/trap') response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
  else response.writeHead(404).end();
});

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  daemon = await openBox({ models: 'tiny', env: { ASSAY_FETCH_ALLOW_NETWORKS: '127.0.0.1/32' } });
});
after(async () => {
  await daemon[Symbol.asyncDispose]();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function submit(file_url: string): Promise<{ status: number; text: string }> {
  const body = new FormData();
  body.set('file_url', file_url);
  const init = { method: 'POST', headers: KEY_HEADERS, body };
  const response = await fetch(`${daemon.http}/api/image_fromurl`, init);
  return { status: response.status, text: await response.text() };
}

interface RestRecord {
  status: string;
  errors: string;
  name: string;
  hash: string;
}

async function endOf(file_url: string): Promise<RestRecord> {
  const { status, text } = await submit(file_url);
  equal(status, 200, text);
  await awaitEnds(daemon, [text]);
  const path = `${daemon.http}/api/classification/${text}`;
  return (await (await fetch(path, { headers: KEY_HEADERS })).json()) as RestRecord;
}

test('a picture is fetched and analysed under its name and hash', async () => {
  const hash = createHash('sha256').update(picture).digest('hex');
  const plain = await endOf(`${origin}/photo.jpg?token=1`);
  deepEqual([plain.errors, plain.status, plain.name, plain.hash], ['', 'done', 'photo.jpg', hash]);
  const named = await endOf(`${origin}/named`);
  deepEqual([named.status, named.name, named.hash], ['done', 'harbour.jpg', hash]);
});

const ENDS: [path: string, errors: RegExp][] = [
  ['/missing.jpg', /^the address answered with status 404$/],
  [
    '/large.jpg',
    new RegExp(`the file has ${IMAGE_BYTES_MAX + 1} bytes, the maximum is ${IMAGE_BYTES_MAX} bytes`),
  ],
  ['/text.jpg', /./],
  ['/trap', /may not be fetched from/],
];

for (const [path, errors] of ENDS) {
  test(`${path} ends errored, and says why`, async () => {
    const record = await endOf(`${origin}${path}`);
    equal(record.status, 'errored');
    match(record.errors, errors);
    equal(record.hash, '');
  });
}

test('an address that may not be fetched from is refused at once', async () => {
  for (const address of [
    'http://10.0.0.1/a.jpg',
    'http://2130706434/',
    'http://[::1]/',
    'ftp://127.0.0.1/a',
    'a',
  ]) {
    const { status, text } = await submit(address);
    equal(status, 400, address);
    deepEqual(Object.keys(JSON.parse(text).error), ['file_url'], text);
  }
  equal(
    (await submit(`${origin}/%E0%A4%A.jpg`)).status,
    200,
    'a name that is no text is a name all the same',
  );
});

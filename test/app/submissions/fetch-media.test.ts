/** Fetching from an address, against a real HTTP server: redirects, bounds, names and the reasons that a record shows. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { setUpFirstStart } from '../../../src/app/appliance/first-start.ts';
import { type FetchConfig, fetchMedia, nameOfDisposition } from '../../../src/app/submissions/fetch-media.ts';
import { VERSION } from '../../../src/domain/version.ts';
import { Sealer } from '../../../src/machinery/sealer.ts';
import { systemClock } from '../../../src/machinery/system-clock.ts';
import { Store } from '../../../src/store/store.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';

const BODY = Buffer.from('bytes of a picture');
const BYTES_MAX = 1000;
const NEVER = new AbortController().signal;

interface Site extends AsyncDisposable {
  origin: string;
  port: number;
  store: Store;
  /** Paths that the server was asked for. */
  asked: string[];
}

async function openSite(answer: RequestListener): Promise<Site> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await makeTemporaryFolder());
  const store = stack.use(await Store.open({ folder: folder.path }));
  await setUpFirstStart(store, systemClock(), await Sealer.open(folder.path), {
    dataFolder: folder.path,
    adminEmail: 'admin@example.org',
    adminPassword: null,
    adminApiKey: null,
    rateLimitPerMinute: 0,
  });
  const plan = store.read.accounts.plans.get(1);
  assert.ok(plan !== undefined);
  const fileBytesMax = { ...plan.fileBytesMax, image: BYTES_MAX };
  await store.transact((tx) => tx.accounts.putPlan({ ...plan, fileBytesMax }));
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  });
  stack.defer(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const held = stack.move();
  const origin = `http://127.0.0.1:${port}`;
  return { origin, port, store, asked, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

const CONFIG: FetchConfig = { fetchAllowNetworks: ['127.0.0.1/32'], fetchTimeoutMs: 5000 };

function fetchFrom({ store }: Site, address: string, config: Partial<FetchConfig> = {}) {
  return fetchMedia({ ...CONFIG, ...config }, store, { address, kind: 'image', accountId: 1 }, NEVER);
}

function redirectTo(location: string): RequestListener {
  return (request, response) => {
    if (request.url === '/end.jpg') response.end(BODY);
    else response.writeHead(302, { location }).end();
  };
}

test('the body is kept as a temporary file, with its hash', async () => {
  await using site = await openSite((_request, response) => response.end(BODY));
  const { temporary, name } = await fetchFrom(site, `${site.origin}/a/photo%20one.jpg?size=2`);
  assert.deepEqual(await readFile(temporary.path), BODY);
  assert.equal(temporary.sizeBytes, BODY.length);
  assert.equal(name, 'photo one.jpg');
  await site.store.blobs.discard(temporary);
});

test('a redirect is followed, and the file keeps the name that was asked for', async () => {
  await using site = await openSite(redirectTo('/end.jpg'));
  const { temporary, name } = await fetchFrom(site, `${site.origin}/photo.jpg`);
  assert.equal(name, 'photo.jpg');
  assert.deepEqual(site.asked, ['/photo.jpg', '/end.jpg']);
  await site.store.blobs.discard(temporary);
  const unnamed = await fetchFrom(site, `${site.origin}/`);
  assert.equal(unnamed.name, 'end.jpg');
  await site.store.blobs.discard(unnamed.temporary);
});

const REFUSED_REDIRECTS: [name: string, location: string, message: RegExp][] = [
  ['into a private range', 'http://10.0.0.1/a.jpg', /private range/],
  ['to the metadata service', 'http://169.254.169.254/latest', /linkLocal range/],
  ['to loopback in disguise', 'http://2130706434/', /loopback range/],
  ['to a file', 'file:///etc/passwd', /expected http or https, found file/],
  ['with credentials', 'http://user:secret@127.0.0.1/', /credentials/],
  ['to nothing', 'http://', /no address/],
];

for (const [name, location, message] of REFUSED_REDIRECTS) {
  test(`a redirect ${name} is not followed`, async () => {
    await using site = await openSite(redirectTo(location));
    await assert.rejects(fetchFrom(site, `${site.origin}/photo.jpg`), { reason: 'bad_address', message });
    assert.deepEqual(site.asked, ['/photo.jpg']);
  });
}

test('redirects end', async () => {
  await using site = await openSite(redirectTo('/again'));
  await assert.rejects(fetchFrom(site, `${site.origin}/photo.jpg`), { message: /more than 5 times/ });
  assert.equal(site.asked.length, 6);
});

test('only the judged place is connected to, although the name means another by then', async () => {
  await using site = await openSite((_request, response) => response.end(BODY));
  const answers = [['127.0.0.1'], ['169.254.169.254']];
  const resolve = async () => answers.shift() ?? [];
  const address = `http://photos.example:${site.port}/photo.jpg`;
  const { temporary } = await fetchFrom(site, address, { resolve });
  await site.store.blobs.discard(temporary);
  assert.equal(answers.length, 1, 'the name was asked for once');
  await assert.rejects(fetchFrom(site, address, { resolve }), { message: /linkLocal range/ });
  assert.deepEqual(site.asked, ['/photo.jpg']);
});

test('the name that the sender gives wins', async () => {
  await using site = await openSite((_request, response) => {
    response.setHeader('content-disposition', 'attachment; filename="../../etc/sea \\"1\\".jpg"');
    response.end(BODY);
  });
  const { temporary, name } = await fetchFrom(site, `${site.origin}/download`);
  assert.equal(name, 'sea "1".jpg');
  await site.store.blobs.discard(temporary);
});

test('a name and a place in raw UTF-8 are read, as many servers send them', async () => {
  const raw = (text: string) => Buffer.from(text).toString('latin1');
  await using site = await openSite((request, response) => {
    if (request.url === '/') response.writeHead(302, { location: raw('/café') }).end();
    else {
      const headers = {
        'content-disposition': raw('attachment; filename="日曜.jpg"'),
        'content-length': BODY.length,
      };
      response.writeHead(200, headers).end(BODY);
    }
  });
  const { temporary, name } = await fetchFrom(site, `${site.origin}/`);
  assert.equal(name, '日曜.jpg');
  assert.deepEqual(site.asked, ['/', '/caf%C3%A9']);
  await site.store.blobs.discard(temporary);
});

test('a body that is compressed in spite of what was asked is unpacked, within the bound; the caller names itself', async () => {
  const agents: (string | undefined)[] = [];
  await using site = await openSite((request, response) => {
    agents.push(request.headers['user-agent']);
    const body = request.url === '/bomb.jpg' ? Buffer.alloc(BYTES_MAX + 1) : BODY;
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(body));
  });
  const { temporary } = await fetchFrom(site, `${site.origin}/a.jpg`, { fetchContact: 'desk@example.org' });
  assert.deepEqual(await readFile(temporary.path), BODY);
  await site.store.blobs.discard(temporary);
  await assert.rejects(fetchFrom(site, `${site.origin}/bomb.jpg`), { reason: 'too_large' });
  assert.deepEqual(agents, [`Assay/${VERSION} (+desk@example.org)`, `Assay/${VERSION}`]);
});

test('a body above the limit of the plan is refused, stated or not', async () => {
  const large = Buffer.alloc(BYTES_MAX + 1);
  await using stated = await openSite((_request, response) => response.end(large));
  await assert.rejects(fetchFrom(stated, `${stated.origin}/a.jpg`), {
    reason: 'too_large',
    message: `the file has ${BYTES_MAX + 1} bytes, the maximum is ${BYTES_MAX} bytes`,
  });
  await using chunked = await openSite((_request, response) => {
    response.write(large.subarray(0, 500));
    response.end(large.subarray(500));
  });
  await assert.rejects(fetchFrom(chunked, `${chunked.origin}/a.jpg`), { reason: 'too_large' });
});

const FAILURES: [name: string, answer: RequestListener, message: RegExp][] = [
  ['a status', (_request, response) => response.writeHead(404).end(), /answered with status 404/],
  ['silence', () => {}, /took longer than 0.3 seconds/],
  [
    'a body that stops half-way',
    (_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    },
    /could not be fetched \(UND_ERR_SOCKET\)/,
  ],
];

for (const [name, answer, message] of FAILURES) {
  test(`${name} ends the fetch with a sentence`, async () => {
    await using site = await openSite(answer);
    const fetching = fetchFrom(site, `${site.origin}/a.jpg`, { fetchTimeoutMs: 300 });
    await assert.rejects(fetching, { name: 'AppError', reason: 'bad_address', message });
  });
}

test('a port that no one listens on ends the fetch with a sentence', async () => {
  await using site = await openSite(() => {});
  const fetching = fetchFrom(site, 'http://127.0.0.1:1/a.jpg');
  await assert.rejects(fetching, { message: 'the address could not be fetched (ECONNREFUSED)' });
});

test('a call that its caller cancels ends as cancelled, and nothing stays', async () => {
  await using site = await openSite(() => {});
  const source = { address: `${site.origin}/a.jpg`, kind: 'image', accountId: 1 } as const;
  await assert.rejects(fetchMedia(CONFIG, site.store, source, AbortSignal.timeout(50)), {
    name: 'TimeoutError',
  });
});

test('file names of Content-Disposition', () => {
  const names: [string, string][] = [
    ['attachment; filename="a b.jpg"', 'a b.jpg'],
    ['attachment; filename=a.jpg', 'a.jpg'],
    ["attachment; filename=a.jpg; filename*=UTF-8''%C3%A9t%C3%A9.jpg", 'été.jpg'],
    ["attachment; filename=a.jpg; filename*=UTF-8''%E0%A4%A", 'a.jpg'],
    ['inline', ''],
    ['', ''],
  ];
  for (const [header, name] of names) assert.equal(nameOfDisposition(header), name, header);
});

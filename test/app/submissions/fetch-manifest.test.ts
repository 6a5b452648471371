/** Remote manifests over real sockets: what the guard lets through, and each bound. */
import { deepEqual, equal, match } from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { type FetchManifestConfig, fetchManifest } from '../../../src/app/submissions/fetch-manifest.ts';

const HOST = 'manifests.example';
const BYTES = Buffer.from('a manifest, as far as the fetcher knows');
const SHORT_MS = 300;

const asked: string[] = [];
const answers: Readonly<Record<string, (response: ServerResponse, path: string) => void>> = {
  whole: (response) => response.end(BYTES),
  around: (response, path) => response.writeHead(302, { location: `${path}x` }).end(),
  silent: () => {},
  halting: (response) => response.write('a manifest that never ends'),
  nowhere: (response) => response.writeHead(302, { location: 'http://[' }).end(),
};
const server = createServer((request, response) => {
  const { url = '' } = request;
  asked.push(url);
  const [, name = ''] = /^\/([a-z]+?)x*$/.exec(url) ?? [];
  const answer = answers[name];
  if (answer === undefined) response.writeHead(404).end();
  else answer(response, url);
});
let port = 0;

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
after(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** The name leads to this machine, whose network the operator has allowed. */
const LOCAL: FetchManifestConfig = {
  manifestHosts: [HOST],
  fetchAllowNetworks: ['127.0.0.0/8'],
  resolve: async () => ['127.0.0.1'],
};

async function fetchFrom(path: string, config: Partial<FetchManifestConfig> = {}): Promise<[string, string]> {
  asked.length = 0;
  const address = `http://${HOST}:${port}${path}`;
  const fetched = await fetchManifest({ ...LOCAL, ...config }, address, AbortSignal.timeout(10_000));
  return [fetched.outcome, 'reason' in fetched ? fetched.reason : String(fetched.bytes)];
}

test('a manifest from an allowed host comes whole', async () => {
  deepEqual(await fetchFrom('/whole'), ['fetched', String(BYTES)]);
});

test('an allowed name that leads into a private network is not asked', async () => {
  const [outcome, reason] = await fetchFrom('/whole', { fetchAllowNetworks: [] });
  equal(outcome, 'not_fetched');
  match(reason, /private|loopback|not allowed/);
  deepEqual(asked, []);
});

test('redirects end after three hops', async () => {
  const [outcome, reason] = await fetchFrom('/around');
  deepEqual([outcome, reason], ['not_fetched', 'it redirects more than 3 times']);
  deepEqual(asked, ['/around', '/aroundx', '/aroundxx', '/aroundxxx']);
});

test('a redirect to a text that is no address is reported', async () => {
  deepEqual(await fetchFrom('/nowhere'), ['not_fetched', 'it redirects to what is no address']);
});

for (const name of ['silent', 'halting']) {
  test(`a host that is ${name} is left after its time`, async () => {
    const [outcome, reason] = await fetchFrom(`/${name}`, { manifestTimeoutMs: SHORT_MS });
    deepEqual([outcome, reason], ['not_fetched', 'it took longer than 0.3 seconds']);
  });
}

test('a submission that is given up ends the fetch with its own reason', async () => {
  const controller = new AbortController();
  const fetching = fetchManifest(LOCAL, `http://${HOST}:${port}/silent`, controller.signal);
  setTimeout(() => controller.abort(new Error('cancelled')), 50);
  await fetching.then(
    () => Promise.reject(new Error('it was fetched')),
    (error: Error) => equal(error.message, 'cancelled'),
  );
});

import { equal, match, notEqual, rejects } from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { makeIdentity } from '../certificates.ts';
import { runCommand } from '../command-line.ts';
import { TEST_KEY, TestDaemon } from '../daemon.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { until } from './rounds/submissions.ts';

const authority = makeIdentity({ name: 'Authority' });

async function writeIdentity(folder: string, name: string) {
  const { cert, key } = makeIdentity({ name, issuer: authority });
  const [certFile, keyFile] = [join(folder, 'box.pem'), join(folder, 'box.key')];
  await writeFile(certFile, cert);
  await writeFile(keyFile, key);
  return { ASSAY_TLS_CERT_FILE: certFile, ASSAY_TLS_KEY_FILE: keyFile };
}

async function get(
  url: string,
): Promise<{ status: number | undefined; headers: NodeJS.Dict<string | string[]> }> {
  const request = httpsRequest(url, { ca: authority.cert, agent: false });
  request.end();
  const [response] = await once(request, 'response');
  response.resume();
  return { status: response.statusCode, headers: response.headers };
}

/** The name that the listener's certificate says, and the version of TLS. */
async function greet(address: string, options: { maxVersion?: 'TLSv1.2' } = {}) {
  const [host = '', port = ''] = address.split(':');
  const alpn = { ALPNProtocols: ['h2', 'http/1.1'] };
  const socket = connect({ host, port: Number(port), ca: authority.cert, ...alpn, ...options });
  await once(socket, 'secureConnect');
  const found = { name: socket.getPeerCertificate().subject.CN, version: socket.getProtocol() };
  socket.destroy();
  return found;
}

async function startTls(folder: string, env: Record<string, string> = {}): Promise<TestDaemon> {
  const files = await writeIdentity(folder, 'first');
  // fetch does not know the authority, so readiness is not waited for here.
  return await TestDaemon.start({ models: 'tiny', env: { ...files, ...env }, awaitReady: false });
}

test('both listeners speak TLS 1.3 and take a renewed certificate', async () => {
  await using folder = await makeTemporaryFolder();
  await using daemon = await startTls(folder.path);
  match(daemon.http, /^https:/);
  const { status, headers } = await get(`${daemon.http}/livez`);
  equal(status, 200);
  match(String(headers['strict-transport-security']), /max-age=\d{8}/);
  const listeners = [new URL(daemon.http).host, daemon.grpc];
  for (const address of listeners) {
    equal((await greet(address)).version, 'TLSv1.3');
    await rejects(greet(address, { maxVersion: 'TLSv1.2' }));
  }
  await writeIdentity(folder.path, 'second');
  for (const address of listeners) {
    await until(async () => (await greet(address)).name === 'second', 'the renewed certificate');
  }
  await writeFile(join(folder.path, 'box.pem'), 'broken');
  await until(() => daemon.stderr.some((line) => line.includes('cannot be used')), 'the line of the log');
  for (const address of listeners) equal((await greet(address)).name, 'second');
});

test('the command line speaks TLS, with a client certificate if the daemon wants one', async () => {
  await using folder = await makeTemporaryFolder();
  const client = makeIdentity({ name: 'client', issuer: authority });
  const stranger = makeIdentity({ name: 'stranger' });
  const paths: Record<string, string> = {};
  for (const [name, pem] of Object.entries({
    ca: authority.cert,
    cert: client.cert,
    key: client.key,
    strangeCert: stranger.cert,
    strangeKey: stranger.key,
  })) {
    paths[name] = join(folder.path, `${name}.pem`);
    await writeFile(paths[name], pem);
  }
  const { ca = '', cert = '', key = '', strangeCert = '', strangeKey = '' } = paths;
  await using daemon = await startTls(folder.path, { ASSAY_TLS_CLIENT_CA_FILE: ca });
  const base = { ASSAY_ADDRESS: `https://${daemon.grpc}`, ASSAY_API_KEY: TEST_KEY, ASSAY_CA_FILE: ca };
  const own = { ASSAY_CLIENT_CERT_FILE: cert, ASSAY_CLIENT_KEY_FILE: key };
  const known = await runCommand(['status'], { ...base, ...own });
  match(known.stdout, /version/, known.stderr);
  const foreign = { ASSAY_CLIENT_CERT_FILE: strangeCert, ASSAY_CLIENT_KEY_FILE: strangeKey };
  for (const env of [base, { ...base, ...foreign }]) notEqual((await runCommand(['status'], env)).code, 0);
  const clear = { ASSAY_ADDRESS: daemon.grpc, ASSAY_API_KEY: TEST_KEY };
  equal((await runCommand(['status'], clear)).code, 3);
});

test('figures of the box are for its administrator if others may ask', async () => {
  await using daemon = await TestDaemon.start({
    models: 'tiny',
    env: { ASSAY_BEHIND_PROXY: 'true' },
    awaitReady: false,
  });
  const ask = async (headers: Record<string, string>) =>
    (await fetch(`${daemon.http}/metrics`, { headers })).status;
  equal(await ask({}), 401);
  equal(await ask({ 'x-api-key': 'wrong' }), 401);
  equal(await ask({ 'x-api-key': TEST_KEY }), 200);
  equal(await ask({ authorization: `Bearer ${TEST_KEY}` }), 200);
  const { headers } = await fetch(`${daemon.http}/livez`);
  equal(headers.get('x-frame-options'), 'DENY');
  equal(headers.get('x-content-type-options'), 'nosniff');
});

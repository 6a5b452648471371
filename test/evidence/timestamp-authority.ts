/** A timestamp authority of the test's own: `openssl ts -reply` behind HTTP, under a throwaway root. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const run = promisify(execFile);

export interface TimestampAuthority extends AsyncDisposable {
  url: string;
  /** PEM of the root. */
  rootPem: string;
  rootFile: string;
  /** A reply to a query, as DER, without HTTP. */
  answer(query: Uint8Array): Promise<Buffer>;
  /** Answers with these replies from now on; null for its own. */
  answerWith(made: ((query: Buffer) => Promise<{ status: number; body: Buffer }>) | null): void;
  /** Queries that came by HTTP. */
  asked(): number;
}

const CONFIG = `
[tsa]
default_tsa = t
[t]
serial = serial
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha384, sha512
accuracy = secs:1
ess_cert_id_alg = sha256
[stamper]
extendedKeyUsage = critical,timeStamping
keyUsage = critical,digitalSignature
`;

export async function startAuthority(name = 'Test Authority'): Promise<TimestampAuthority> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await makeTemporaryFolder()).path;
  const openssl = (...args: string[]) => run('openssl', args, { cwd: folder });
  await writeFile(join(folder, 'tsa.cnf'), CONFIG);
  await writeFile(join(folder, 'serial'), '01\n');
  const newKey = ['-newkey', 'rsa:2048', '-nodes'];
  await openssl(
    ...['req', '-x509', ...newKey, '-keyout', 'root.key', '-out', 'root.pem', '-days', '2'],
    ...['-subj', `/CN=${name} Root`],
  );
  await openssl('req', ...newKey, '-keyout', 'tsa.key', '-out', 'tsa.csr', '-subj', `/CN=${name}`);
  await openssl(
    ...['x509', '-req', '-in', 'tsa.csr', '-CA', 'root.pem', '-CAkey', 'root.key', '-CAcreateserial'],
    ...['-days', '1', '-out', 'tsa.pem', '-extfile', 'tsa.cnf', '-extensions', 'stamper'],
  );
  let made: ((query: Buffer) => Promise<{ status: number; body: Buffer }>) | null = null;
  let asked = 0;
  let turn: Promise<unknown> = Promise.resolve();
  const reply = async (query: Uint8Array): Promise<Buffer> => {
    await writeFile(join(folder, 'query'), query);
    const signer = ['-signer', 'tsa.pem', '-inkey', 'tsa.key', '-config', 'tsa.cnf'];
    await openssl('ts', '-reply', '-queryfile', 'query', ...signer, '-out', 'reply');
    return await readFile(join(folder, 'reply'));
  };
  // One after another: they share the file of the serial number.
  const answer = (query: Uint8Array): Promise<Buffer> => {
    const next = turn.then(() => reply(query));
    turn = next.catch(() => {});
    return next;
  };
  const server = createServer((request, response) => {
    asked += 1;
    const answered = buffer(request).then((query) =>
      made === null ? answer(query).then((body) => ({ status: 200, body })) : made(query),
    );
    answered.then(
      ({ status, body }) =>
        response.writeHead(status, { 'content-type': 'application/timestamp-reply' }).end(body),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stack.defer(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await turn;
  });
  const held = stack.move();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tsa`,
    rootPem: await readFile(join(folder, 'root.pem'), 'utf8'),
    rootFile: join(folder, 'root.pem'),
    answer,
    answerWith: (next) => {
      made = next;
    },
    asked: () => asked,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

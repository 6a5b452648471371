import { equal, match } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { OpenPlaces } from '../../src/app/callers/open-places.ts';
import { REASONS, type Reason } from '../../src/domain/errors.ts';
import { addCustomer, type Customer, openService, type Service } from '../interface/service.ts';
import { uploadFiles } from './rounds/data-folder.ts';
import { KEY_HEADERS, until } from './rounds/submissions.ts';
import { type Asker, WAYS_IN } from './rounds/unsent-uploads.ts';

const NO_ROOM = { ASSAY_DISK_FREE_MIN: String(Number.MAX_SAFE_INTEGER) };

let service: Service;
let full: Service;
let strict: Service;
let stopping: Service;

before(async () => {
  service = await openService();
  full = await openService(NO_ROOM);
  strict = await openService({ ASSAY_TERMS_REQUIRED: 'true' });
  stopping = await openService();
});

after(async () => {
  for (const each of [service, full, strict, stopping]) await each?.[Symbol.asyncDispose]();
});

/** An upload of the customer's that waits for its bytes, as if it had been begun before the reason arose. */
async function begunBy(at: Service, accountId: number): Promise<string> {
  const uploadId = randomUUID();
  const { store, clock } = at.open.app;
  const times = { createdAt: clock.now(), touchedAt: clock.now() };
  const about = { name: 'a.jpg', sizeBytes: 10_000_000, fields: { kind: 'image' } };
  await store.unfinishedUploads.create({
    accountId,
    uploadId,
    ...about,
    ...times,
    committedBytes: 0,
    identifier: null,
  });
  return uploadId;
}

interface Case {
  reason: Reason;
  at: () => Service;
  customer: () => Promise<Customer>;
  /** Whether validations are refused for it as well. */
  isOfValidation: boolean;
  /** The pieces of one upload are one call. */
  isOfPieces?: false;
  key?: string;
}

const CASES: readonly Case[] = [
  {
    reason: 'key',
    at: () => service,
    customer: () => addCustomer(service),
    isOfValidation: true,
    key: 'none',
  },
  { reason: 'terms', at: () => strict, customer: () => addCustomer(strict), isOfValidation: true },
  {
    ...{ reason: 'rate', at: () => service, isOfValidation: true, isOfPieces: false },
    async customer() {
      const customer = await addCustomer(service, { plan: { rate_limit_per_minute: 1 } });
      await customer.get('/api/user/credits');
      return customer;
    },
  },
  {
    ...{ reason: 'read_only', at: () => service, isOfValidation: false },
    customer: () => addCustomer(service, { user: { readonly: 'true' } }),
  },
  {
    ...{ reason: 'not_enabled', at: () => service, isOfValidation: true },
    customer: () => addCustomer(service, { plan: { kinds: 'video' } }),
  },
  {
    ...{ reason: 'credits', at: () => service, isOfValidation: false },
    customer: () => addCustomer(service, { plan: { image_credits: 2 }, credits: 1 }),
  },
  { reason: 'disk_full', at: () => full, customer: () => addCustomer(full), isOfValidation: true },
  {
    ...{ reason: 'draining', at: () => stopping, isOfValidation: true },
    async customer() {
      const customer = await addCustomer(stopping);
      await stopping.open.daemon.engine.drain(0);
      return customer;
    },
  },
];

for (const { reason, at, customer, isOfValidation, isOfPieces = true, key } of CASES) {
  test(`an upload is refused for ${reason} before the file is sent`, async () => {
    const who = await customer();
    const uploadId = await begunBy(at(), who.id);
    const asker: Asker = { url: at().url, grpc: at().grpc, key: key ?? who.key, uploadId };
    for (const { name, purpose, ask } of WAYS_IN) {
      if (purpose === 'validate' && !isOfValidation) continue;
      if (name === 'tus, a later piece' && !isOfPieces) continue;
      const { status, body } = await ask(asker);
      const said = `${name}: ${status} ${body}`;
      if (name.startsWith('gRPC')) match(body, new RegExp(reason.toUpperCase()), said);
      else if (name.startsWith('GraphQL')) match(body, new RegExp(`"reason":"${reason}"`), said);
      else equal(status, REASONS[reason].http, said);
    }
    equal(uploadFiles(at().open.folder).length, 0);
  });
}

test('an account without credits still gets the answer to a request that it has paid', async () => {
  const { clock, store } = service.open.app;
  const poor = await addCustomer(service, { plan: { image_credits: 2 }, credits: 1 });
  await store.transact((tx) =>
    tx.putRequest(poor.id, 'paid', { identifier: 'ab'.repeat(32), fingerprint: '', at: clock.now() }),
  );
  const body = new FormData();
  const headers = { 'x-api-key': poor.key, 'idempotency-key': 'paid' };
  const answer = await fetch(`${service.url}/api/classification`, { method: 'POST', headers, body });
  equal(answer.status, 400, 'it came as far as its form');
});

/** Sends a body until the answer has come to its end or the connection breaks, then sends no more. */
async function sendUntilAnswered(connection: string): Promise<{ answer: string; error: unknown }> {
  const { hostname, port, host } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  let error: unknown;
  socket.on('error', (cause) => {
    error = cause;
  });
  await once(socket, 'connect');
  socket.write(
    `POST /api/classification HTTP/1.1\r\nHost: ${host}\r\nX-Api-Key: wrong\r\nConnection: ${connection}\r\n` +
      'Content-Type: multipart/form-data; boundary=cut\r\nContent-Length: 1000000000\r\n\r\n',
  );
  for (let piece = 0; piece < 100; piece++) {
    if (!socket.write(Buffer.alloc(64 * 1024))) await Promise.race([once(socket, 'drain'), delay(100)]);
  }
  // A client of the simple kind reads only now.
  socket.on('data', (bytes: Buffer) => {
    answer += bytes.toString('latin1');
  });
  const isOver = () => answer.includes('invalid API key') || error !== undefined;
  await until(isOver, 'the answer').finally(() => socket.destroy());
  return { answer, error };
}

for (const connection of ['close', 'keep-alive']) {
  test(`a client that is still sending reads the refusal (Connection: ${connection})`, async () => {
    const { answer, error } = await sendUntilAnswered(connection);
    equal(error, undefined);
    match(answer, /^HTTP\/1\.1 401 /);
    match(answer, /invalid API key/);
  });
}

test('after a refused form that was sent whole, the connection serves the next request', async () => {
  const { hostname, port, host } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  let answers = '';
  socket.on('data', (bytes: Buffer) => {
    answers += bytes.toString('latin1');
  });
  const body = 'x'.repeat(200_000);
  socket.write(
    `POST /api/classification HTTP/1.1\r\nHost: ${host}\r\nX-Api-Key: wrong\r\n` +
      `Content-Type: multipart/form-data; boundary=cut\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  socket.write(`GET /livez HTTP/1.1\r\nHost: ${host}\r\nX-Api-Key: ${KEY_HEADERS['x-api-key']}\r\n\r\n`);
  const isServed = () => /HTTP\/1\.1 200 /.test(answers);
  await until(isServed, 'the answer to the next request').finally(() => socket.destroy());
  match(answers, /HTTP\/1\.1 401 /);
});

/** How many uploads the account could open now. */
function roomOf(uploads: OpenPlaces, accountId: number): number {
  using opened = new DisposableStack();
  for (let room = 0; ; room += 1) {
    try {
      opened.use(uploads.open(accountId));
    } catch {
      return room;
    }
  }
}

test('an account has half of all uploads, and the other half is for others', async () => {
  await using small = await openService({ ASSAY_UPLOADS_MAX: '4' });
  const [greedy, other] = [await addCustomer(small), await addCustomer(small)];
  const { hostname, port, host } = new URL(small.url);
  const begin = async (key: string): Promise<{ answer: () => string; end: () => void }> => {
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket
      .on('error', () => {})
      .on('data', (bytes: Buffer) => {
        answer += bytes.toString('latin1');
      });
    await once(socket, 'connect');
    socket.write(
      `POST /api/classification HTTP/1.1\r\nHost: ${host}\r\nX-Api-Key: ${key}\r\n` +
        'Content-Type: multipart/form-data; boundary=cut\r\nContent-Length: 1000000\r\n\r\n',
    );
    return { answer: () => answer, end: () => socket.destroy() };
  };
  const { openUploads } = small.open.app;
  const held = [await begin(greedy.key), await begin(greedy.key)];
  await until(() => roomOf(openUploads, greedy.id) === 0, 'two uploads to be open');
  const third = await begin(greedy.key);
  await until(() => third.answer() !== '', 'the refusal of a third');
  match(third.answer(), /^HTTP\/1\.1 429 .*retry-after: \d+.*"message":/is);
  held.push(await begin(other.key));
  await until(() => roomOf(openUploads, other.id) === 1, 'an upload of another account to be open');
  for (const { end } of [...held, third]) end();
  await until(() => roomOf(openUploads, greedy.id) === 2, 'what ended to give its place back');
  const again = await begin(greedy.key);
  await until(() => roomOf(openUploads, greedy.id) === 1, 'another upload to be open');
  again.end();
});

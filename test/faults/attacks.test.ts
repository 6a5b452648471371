/** Foreign names, origins and oversized requests are refused over real sockets. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ADMIN_PASSWORD, openServedApp, type ServedApp } from '../app/open-app.ts';

let box: ServedApp;

before(async () => {
  box = await openServedApp({ ASSAY_ADMIN_PASSWORD: ADMIN_PASSWORD, ASSAY_ADMIN_EMAIL: 'admin@example.org' });
});

after(async () => await box?.[Symbol.asyncDispose]());

/** One address of each facade on the port. */
const PLACES = [
  ...['/api/classification_image', '/api/user', '/graphql', '/', '/assets/main.js', '/session'],
  ...['/media/blob', '/uploads', '/metrics', '/livez', '/readyz', '/openapi.json', '/nothing-there'],
];

/** Sends bytes as they are; returns the whole answer, which the server must end. */
async function speak(bytes: string): Promise<string> {
  const { hostname, port } = new URL(box.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(bytes);
  return await text(socket).catch(() => '');
}

function ask(path: string, host: string, more = ''): Promise<string> {
  return speak(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${more}\r\n`);
}

test('a foreign host name that leads to this address is refused everywhere', async () => {
  const refused: string[] = [];
  for (const path of PLACES) {
    for (const host of [
      'evil.example',
      'evil.example:8480',
      '127.0.0.1.evil.example',
      'localhost.evil.example',
      '[::1]evil.example',
      'localhost\r\nHost: evil.example',
    ])
      refused.push(`${path} ${host}: ${(await ask(path, host)).split(' ')[1]}`);
  }
  deepEqual(
    refused.filter((line) => !line.endsWith(': 421')),
    [],
  );
  match(await ask('/livez', new URL(box.url).host), /^HTTP\/1\.1 200/);
});

test('no missing host name, name in the request line or socket bypasses the refusal', async () => {
  match(await speak('GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n'), /^HTTP\/1\.1 400/);
  match(
    await speak('GET http://evil.example/livez HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n'),
    /^HTTP\/1\.1 421/,
  );
  const upgrade = 'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n';
  const socket = `GET /graphql HTTP/1.1\r\nHost: evil.example\r\n${upgrade}Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n`;
  match(await speak(`${socket}Sec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n`), /^HTTP\/1\.1 421/);
});

test('an offer of HTTP/2, which the box does not speak, is passed over and the request answered', async () => {
  const offer =
    'Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n';
  match(await speak(`GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n${offer}\r\n`), /^HTTP\/1\.1 200/);
  const unread = `POST /api/nothing HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n${offer}\r\n{}`;
  match(await speak(unread), /^HTTP\/1\.1 404[\s\S]*"error"/);
});

test('no other origin is let in, and every answer forbids framing and sniffing', async () => {
  const origin = 'https://evil.example';
  for (const path of PLACES) {
    for (const method of ['OPTIONS', 'GET']) {
      const preflight = {
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-api-key',
      };
      const headers = { origin, ...(method === 'OPTIONS' ? preflight : {}) };
      const answer = await fetch(`${box.url}${path}`, { method, headers, redirect: 'manual' });
      const allowed = [...answer.headers.keys()].filter((name) => name.startsWith('access-control-'));
      deepEqual(allowed, [], `${method} ${path}`);
      equal(answer.headers.get('x-content-type-options'), 'nosniff', `${method} ${path}`);
      equal(answer.headers.get('x-frame-options'), 'DENY', `${method} ${path}`);
      equal(answer.headers.get('cross-origin-resource-policy'), 'same-origin', `${method} ${path}`);
      await answer.arrayBuffer();
    }
  }
});

test('headers, bodies and addresses past their bounds are refused, and the next caller is served', async () => {
  const { host } = new URL(box.url);
  match(await ask('/livez', host, `X-Big: ${'a'.repeat(17 * 1024)}\r\n`), /^HTTP\/1\.1 431/);
  match(await ask(`/api/${'a'.repeat(17 * 1024)}`, host), /^HTTP\/1\.1 431/);
  const big = JSON.stringify({ query: `{ viewer { email } } # ${'x'.repeat(2 * 1024 * 1024)}` });
  const headers = { 'content-type': 'application/json', 'x-requested-with': 'a test' };
  const answer = await fetch(`${box.url}/graphql`, { method: 'POST', body: big, headers }).catch(() => null);
  if (answer !== null) equal(answer.status, 413, await answer.text());
  const smuggled = `POST /graphql HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n`;
  match(await speak(`${smuggled}0\r\n\r\nGET /metrics HTTP/1.1\r\nHost: ${host}\r\n\r\n`), /^HTTP\/1\.1 400/);
  equal((await fetch(`${box.url}/livez`)).status, 200);
});

test('a password is not guessed over the wire', async () => {
  const signIn = (email: string, password: string) =>
    fetch(`${box.url}/session/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: box.url },
      body: JSON.stringify({ email, password }),
    });
  const answers: number[] = [];
  let last: Response | undefined;
  for (let count = 0; count < 12; count++) {
    last = await signIn('admin@example.org', `a wrong password ${count}`);
    answers.push(last.status);
  }
  ok(
    answers.slice(0, 10).every((status) => status === 401 || status === 403),
    String(answers),
  );
  equal(answers.at(-1), 429, String(answers));
  ok(Number(last?.headers.get('retry-after')) > 0);
  // The right password is refused, too, or the bound would reveal it.
  equal((await signIn('admin@example.org', ADMIN_PASSWORD)).status, 429);
});

test('connections past their bound are closed at once, and room is used again', async () => {
  await using small = await openServedApp({ ASSAY_HTTP_CONNECTIONS_MAX: '10' });
  const { hostname, port, host } = new URL(small.url);
  const open = async (): Promise<Socket> => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    await once(socket, 'connect');
    return socket;
  };
  const held: Socket[] = [];
  for (let count = 0; count < 10; count++) held.push(await open());
  const refused = await open();
  refused.write(`GET /livez HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  equal(await text(refused).catch(() => ''), '');
  for (const socket of held) socket.destroy();
  const served = async () => (await fetch(`${small.url}/livez`).catch(() => null))?.status === 200;
  for (let count = 0; !(await served()); count++) {
    ok(count < 50, 'the room was not used again');
    await delay(50);
  }
});

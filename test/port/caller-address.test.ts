/** Whose address a caller behind proxies has: an upgrade's, which Fastify never sees, is read as Fastify reads a request's. */
import { equal } from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { listAudit } from '../../src/app/accounts/audit.ts';
import { callerAddress } from '../../src/port/server.ts';
import { openServedApp } from '../app/open-app.ts';

const KEY = `assay_${'7'.repeat(64)}`;
const FORWARDED = { 'x-forwarded-for': '198.51.100.1, 203.0.113.9' };
const CREATE = 'mutation { createKey(name: "by socket") { userErrors { message } } }';

const CASES: { name: string; trusted: string[]; peer: string; forwarded?: string; expected: string }[] = [
  { name: 'no proxy', trusted: [], peer: '203.0.113.9', forwarded: '1.1.1.1', expected: '203.0.113.9' },
  {
    name: 'another peer',
    trusted: ['10.0.0.5'],
    peer: '10.0.0.6',
    forwarded: '1.1.1.1',
    expected: '10.0.0.6',
  },
  { name: 'nothing said', trusted: ['10.0.0.0/8'], peer: '10.0.0.5', expected: '10.0.0.5' },
  {
    name: 'two proxies, and what the caller made up',
    trusted: ['10.0.0.0/8', '::1'],
    peer: '::ffff:10.0.0.5',
    forwarded: '6.6.6.6, 203.0.113.9, 10.1.1.1',
    expected: '203.0.113.9',
  },
  { name: 'no address', trusted: ['::1'], peer: '::1', forwarded: 'unknown', expected: 'unknown' },
];

for (const { name, trusted, peer, forwarded, expected } of CASES) {
  test(`the address of a caller: ${name}`, () => {
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
    const upgrade = { headers, socket: { remoteAddress: peer } } as unknown as IncomingMessage;
    equal(callerAddress(trusted)(upgrade), expected);
  });
}

test('the audit log sees the caller of a socket and of a request alike, and not the proxy', async () => {
  await using opened = await openServedApp({ ASSAY_ADMIN_API_KEY: KEY, ASSAY_TRUSTED_PROXIES: '127.0.0.1' });
  const { app, admin, url } = opened;
  const headers = { 'x-api-key': KEY, 'content-type': 'application/json', ...FORWARDED };
  const body = JSON.stringify({ query: CREATE });
  equal((await fetch(`${url}/graphql`, { method: 'POST', headers, body })).status, 200);
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', { headers });
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'connection_init' }));
  await once(socket, 'message');
  socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: CREATE } }));
  await once(socket, 'message');
  socket.terminate();
  const [bySocket, byRequest] = listAudit(app, { principal: admin, limit: 2 });
  equal(byRequest?.remoteAddress, '203.0.113.9');
  equal(bySocket?.action, 'key.create');
  equal(bySocket?.remoteAddress, '203.0.113.9');
});

/** Clients that begin something and then say or read nothing: each is ended after its bound; others are served meanwhile. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { TestDaemon } from '../daemon.ts';
import { childrenOf, rssAnonBytes } from './rounds/processes.ts';
import {
  awaitEnds,
  distinctPicture,
  KEY_HEADERS,
  metricOf,
  pidOf,
  submitPicture,
  until,
} from './rounds/submissions.ts';

const CLIENTS = 40;
/** A WebSocket has 5 s to say who it is; a small body 30 s to arrive. Four times that on a busy box. */
const CUT_TIMEOUT_MS = 120_000;
const DESCRIPTORS_TOLERANCE = 10;
/** Garbage that is not collected yet; forty clients of 100 kB each would be a twentieth of it. */
const MEMORY_TOLERANCE_BYTES = 80 * 1024 ** 2;

let daemon: TestDaemon;
let identifier: string;
let calm: { descriptors: number; memoryBytes: number };

function descriptorsOf(): number {
  return readdirSync(`/proc/${pidOf(daemon)}/fd`).length;
}

before(async () => {
  daemon = await TestDaemon.start({ models: 'tiny' });
  identifier = await submitPicture(daemon, await distinctPicture(1));
  deepEqual(await awaitEnds(daemon, [identifier]), ['done']);
  calm = { descriptors: descriptorsOf(), memoryBytes: rssAnonBytes(pidOf(daemon)) };
});

after(async () => await daemon?.[Symbol.asyncDispose]());

async function openSocket(text: string): Promise<Socket> {
  const { hostname, port } = new URL(daemon.http);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

function openSockets(text: string): Promise<Socket[]> {
  return Promise.all(Array.from({ length: CLIENTS }, () => openSocket(text)));
}

function head(method: string, path: string, headers: Record<string, string | number>): string {
  const lines = Object.entries({ Host: 'localhost', 'X-Api-Key': KEY_HEADERS['x-api-key'], ...headers });
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}

const isCut = ({ closed, readableEnded }: Socket): boolean => closed || readableEnded;

async function assertServed(): Promise<void> {
  const response = await fetch(`${daemon.http}/api/classification/${identifier}`, { headers: KEY_HEADERS });
  equal(response.status, 200);
}

async function assertBack(): Promise<void> {
  const bound = calm.descriptors + DESCRIPTORS_TOLERANCE;
  await until(() => descriptorsOf() <= bound, 'the descriptors to come back');
  const memoryBytes = rssAnonBytes(pidOf(daemon));
  ok(memoryBytes <= calm.memoryBytes + MEMORY_TOLERANCE_BYTES, `${memoryBytes} bytes are held`);
}

test('a client that falls silent amid a JSON body is cut, and others are served', async () => {
  const about = { 'Content-Type': 'application/json', 'Content-Length': 1000 };
  const sockets = await openSockets(`${head('POST', '/graphql', about)}{"query": "`);
  for (const socket of sockets) socket.resume();
  await assertServed();
  await until(() => sockets.every(isCut), 'them to be cut', CUT_TIMEOUT_MS);
  await assertBack();
});

test('a WebSocket that never authenticates is closed', async () => {
  const url = `${daemon.http.replace('http', 'ws')}/graphql`;
  const sockets = Array.from({ length: CLIENTS }, () => new WebSocket(url, 'graphql-transport-ws'));
  const ends = sockets.map(async (socket) => {
    socket.on('error', () => {});
    const [code] = await once(socket, 'close');
    return code as number;
  });
  await assertServed();
  const codes = await Promise.all(ends);
  deepEqual([...new Set(codes)], [4408], 'each ends because its time is over');
  await assertBack();
});

test('a piece of a tus upload that stops half-way keeps what came, and is given up with its socket', async () => {
  const begun = await fetch(`${daemon.http}/files`, {
    method: 'POST',
    headers: {
      ...KEY_HEADERS,
      'tus-resumable': '1.0.0',
      'upload-length': '100000',
      'upload-metadata': `filename ${btoa('a.jpg')}`,
    },
  });
  equal(begun.status, 201, await begun.clone().text());
  const path = new URL(begun.headers.get('location') ?? '', daemon.http).pathname;
  const about = {
    'Tus-Resumable': '1.0.0',
    'Upload-Offset': 0,
    'Content-Type': 'application/offset+octet-stream',
    'Content-Length': 100_000,
  };
  const socket = await openSocket(head('PATCH', path, about) + 'x'.repeat(2000));
  await delay(1000);
  await assertServed();
  socket.destroy();
  const offset = async (): Promise<number> => {
    const asked = await fetch(daemon.http + path, {
      method: 'HEAD',
      headers: { ...KEY_HEADERS, 'tus-resumable': '1.0.0' },
    });
    return Number(asked.headers.get('upload-offset'));
  };
  await until(async () => (await offset()) === 2000, 'what came to be kept');
  await assertBack();
});

test('subscribers that never read hold neither memory nor the record', async () => {
  const { inference } = childrenOf(pidOf(daemon));
  for (const pid of inference) process.kill(pid, 'SIGSTOP');
  const watched = await submitPicture(daemon, await distinctPicture(2));
  const query = 'subscription ($identifier: ID!) { classification(identifier: $identifier) { status } }';
  const body = JSON.stringify({ query, variables: { identifier: watched } });
  const about = {
    Accept: 'text/event-stream',
    'Content-Type': 'application/json',
    'Content-Length': body.length,
  };
  const sockets = await openSockets(head('POST', '/graphql', about) + body);
  for (const socket of sockets) socket.pause();
  await until(async () => (await metricOf(daemon, 'assay_watchers')) >= CLIENTS, 'the watchers');
  for (const pid of inference) process.kill(pid, 'SIGCONT');
  deepEqual(await awaitEnds(daemon, [watched]), ['done']);
  await assertServed();
  for (const socket of sockets) socket.destroy();
  await until(async () => (await metricOf(daemon, 'assay_watchers')) === 0, 'the watchers to be gone');
  await assertBack();
});

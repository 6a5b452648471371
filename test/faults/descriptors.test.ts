import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { TestDaemon } from '../daemon.ts';
import { jobInputs, uploadFiles } from './rounds/data-folder.ts';
import { isAlive } from './rounds/processes.ts';
import {
  awaitEnds,
  distinctPicture,
  KEY_HEADERS,
  metricOf,
  pidOf,
  submitPicture,
  until,
} from './rounds/submissions.ts';

/** The test's own sockets take all of these descriptors. */
const LEFT = 24;
const SOCKETS = 60;
const DESCRIPTORS_TOLERANCE = 10;

function descriptorsOf(daemon: TestDaemon): number {
  return readdirSync(`/proc/${pidOf(daemon)}/fd`).length;
}

/** Bounds what the running daemon may open; false where this machine has no such tool. */
function limitDescriptors(context: TestContext, daemon: TestDaemon, count: number): boolean {
  try {
    execFileSync('prlimit', [`--pid=${pidOf(daemon)}`, `--nofile=${count}:`], { stdio: 'pipe' });
    return true;
  } catch (error) {
    context.diagnostic(`descriptors cannot be bounded here: ${error}`);
    return false;
  }
}

async function takeAll(daemon: TestDaemon): Promise<Socket[]> {
  const { hostname, port } = new URL(daemon.http);
  const sockets = Array.from({ length: SOCKETS }, () => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    return socket.resume();
  });
  const { limit } = { limit: LEFT };
  await until(
    () => sockets.filter(({ readyState }) => readyState === 'open').length >= limit / 2,
    'the sockets',
  );
  return sockets;
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** A connection that was opened before, as in a client's pool. */
class OldConnection {
  readonly #agent = new HttpAgent({ keepAlive: true, maxSockets: 1 });
  readonly #base: string;

  constructor(base: string) {
    this.#base = base;
  }

  async ask(path: string, body?: FormData): Promise<Answer> {
    const encoded = body === undefined ? undefined : new Response(body);
    const type = encoded?.headers.get('content-type');
    const request = httpRequest(this.#base + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...KEY_HEADERS, ...(type === undefined || type === null ? {} : { 'content-type': type }) },
      agent: this.#agent,
    });
    request.end(encoded === undefined ? undefined : Buffer.from(await encoded.arrayBuffer()));
    const [response] = await once(request, 'response');
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return { status: response.statusCode, headers: response.headers, text: Buffer.concat(chunks).toString() };
  }
}

function formOf(bytes: Buffer): FormData {
  const body = new FormData();
  body.set('image', new Blob([new Uint8Array(bytes)]), 'picture.jpg');
  return body;
}

test('without descriptors the daemon refuses in words, answers reads, recovers and loses nothing', async (context) => {
  await using daemon = await TestDaemon.start({ models: 'tiny' });
  const first = await submitPicture(daemon, await distinctPicture(1));
  deepEqual(await awaitEnds(daemon, [first]), ['done']);
  const [old, reader] = [new OldConnection(daemon.http), new OldConnection(daemon.http)];
  for (const one of [old, reader]) equal((await one.ask(`/api/classification/${first}`)).status, 200);
  const before = descriptorsOf(daemon);
  if (!limitDescriptors(context, daemon, before + LEFT)) return;
  const sockets = await takeAll(daemon);
  const refused = await old.ask('/api/classification', formOf(await distinctPicture(2)));
  equal(refused.status, 503, refused.text);
  match(refused.text, /too many files and connections open/);
  match(refused.headers['retry-after'] ?? '', /^[1-9]\d*$/);
  // Not on the first: the daemon closes it if the refused body had not come whole.
  const read = await reader.ask(`/api/classification/${first}`);
  equal(read.status, 200, 'what needs no descriptor is answered');
  ok(isAlive(pidOf(daemon)));
  for (const socket of sockets) socket.destroy();
  await until(() => descriptorsOf(daemon) <= before + DESCRIPTORS_TOLERANCE, 'the descriptors to come back');
  const later = await submitPicture(daemon, await distinctPicture(3));
  deepEqual(await awaitEnds(daemon, [later]), ['done']);
  deepEqual(uploadFiles(daemon.folder), []);
  await until(() => jobInputs(daemon.folder).length === 0, 'the slots to be emptied');
});

test('accepted work waits for descriptors instead of failing', async (context) => {
  await using daemon = await TestDaemon.start({ models: 'tiny' });
  const first = await submitPicture(daemon, await distinctPicture(1));
  await awaitEnds(daemon, [first]);
  const accepted: string[] = [];
  for (let seed = 2; seed < 8; seed++)
    accepted.push(await submitPicture(daemon, await distinctPicture(seed, 900)));
  if (!limitDescriptors(context, daemon, descriptorsOf(daemon))) return;
  await delay(3000);
  limitDescriptors(context, daemon, 4096);
  const ends = await awaitEnds(daemon, accepted);
  ok(
    ends.every((end) => end === 'done'),
    ends.join(),
  );
  ok((await metricOf(daemon, 'assay_analyses_running')) === 0);
});

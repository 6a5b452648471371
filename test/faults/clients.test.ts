/** Clients that say nothing, or almost nothing, on each listener: others are served, and what they held comes back. */
import { equal, ok } from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { TestDaemon } from '../daemon.ts';
import { awaitEnds, distinctPicture, pidOf, submitPicture, until } from './rounds/submissions.ts';

const CLIENTS = 100;
/** The HTTP side gives headers 20 s and looks every 30 s; the gRPC side pings after 30 s and waits 20 s. Thrice that on a busy box. */
const CUT_TIMEOUT_MS = 150_000;
const DRIP_MS = 1000;
/** Connections of the test's own requests may still be kept alive. */
const DESCRIPTORS_TOLERANCE = 10;

async function openSockets(address: string): Promise<Socket[]> {
  const [host = '', port = ''] = address.split(':');
  return await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      const socket = connect(Number(port), host);
      socket.on('error', () => {});
      await once(socket, 'connect');
      return socket;
    }),
  );
}

function descriptorsOf(daemon: TestDaemon): number {
  return readdirSync(`/proc/${pidOf(daemon)}/fd`).length;
}

// The tests run at once: each waits for most of a minute, with a daemon of its own.
describe('each listener cuts its silent and slow clients', { concurrency: true }, () => {
  for (const { listener, addressOf } of [
    { listener: 'HTTP', addressOf: ({ http }: TestDaemon) => new URL(http).host },
    { listener: 'gRPC', addressOf: ({ grpc }: TestDaemon) => grpc },
  ]) {
    test(`silent and slow clients of ${listener} are cut, others are served`, async () => {
      await using daemon = await TestDaemon.start({ models: 'tiny' });
      const before = descriptorsOf(daemon);
      const silent = await openSockets(addressOf(daemon));
      const slow = await openSockets(addressOf(daemon));
      for (const socket of slow) socket.write('GET / HTTP/1.1\r\n');
      const drip = setInterval(() => {
        for (const socket of slow) if (socket.writable) socket.write('X');
      }, DRIP_MS);
      try {
        const identifier = await submitPicture(daemon, await distinctPicture(1));
        equal((await awaitEnds(daemon, [identifier]))[0], 'done');
        const isCut = ({ closed, readableEnded }: Socket) => closed || readableEnded;
        for (const socket of [...silent, ...slow]) socket.resume();
        await until(() => slow.every(isCut), 'the slow clients to be cut', CUT_TIMEOUT_MS);
        if (listener === 'gRPC') {
          await until(() => silent.every(isCut), 'the silent clients to be cut', CUT_TIMEOUT_MS);
        }
      } finally {
        clearInterval(drip);
        for (const socket of [...silent, ...slow]) socket.destroy();
      }
      await until(
        () => descriptorsOf(daemon) <= before + DESCRIPTORS_TOLERANCE,
        'the descriptors to come back',
      );
      ok((await fetch(`${daemon.http}/livez`)).ok);
    });
  }
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { cutBelowPace } from '../../src/port/answer-pace.ts';

const PIECE = Buffer.alloc(64 * 1024);
const RULE = { bytesPerSecondMin: 1024, windowMs: 600 };

/** Resolves with whether the answer was ended within four windows, to a client that takes some of it so often. */
async function isCut(takeEveryMs: number | null): Promise<boolean> {
  const answered = Promise.withResolvers<Readable>();
  await using server = createServer((_request, answer) => {
    cutBelowPace(answer, RULE);
    const endless = Readable.from(endlessPieces());
    answered.resolve(endless);
    endless.pipe(answer);
    answer.once('close', () => endless.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  socket.on('error', () => {});
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  const taking = setInterval(() => socket.read(), takeEveryMs ?? 2 ** 30);
  if (takeEveryMs !== null) socket.on('readable', () => {});
  const endless = await answered.promise;
  const ended = Promise.withResolvers<boolean>();
  endless.once('close', () => ended.resolve(true));
  const timer = setTimeout(() => ended.resolve(false), 4 * RULE.windowMs);
  const wasCut = await ended.promise;
  clearTimeout(timer);
  clearInterval(taking);
  socket.destroy();
  return wasCut;
}

async function* endlessPieces(): AsyncGenerator<Buffer> {
  for (;;) yield PIECE;
}

test('an answer that is not read is ended', async () => {
  assert.equal(await isCut(null), true);
});

test('an answer that is read goes on', async () => {
  assert.equal(await isCut(1), false);
});

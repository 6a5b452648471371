import { equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { atPace } from '../../../src/app/submissions/upload-pace.ts';
import { AppError } from '../../../src/domain/errors.ts';

const RULE = { bytesPerSecondMin: 1000, windowMs: 600 };
const isTooSlow = (error: unknown): boolean => error instanceof AppError && error.reason === 'too_slow';
const sizeOf = ({ byteLength }: Uint8Array): number => byteLength;

async function* dripping(count: number, bytes: number, everyMs: number): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < count; index++) {
    await delay(everyMs);
    yield new Uint8Array(bytes);
  }
}

async function read(source: AsyncIterable<Uint8Array>, takesMs = 0): Promise<number> {
  let bytes = 0;
  for await (const chunk of atPace(source, sizeOf, { rule: RULE })) {
    bytes += chunk.byteLength;
    if (takesMs > 0) await delay(takesMs);
  }
  return bytes;
}

test('a sender of a byte now and then is ended', async () => {
  await rejects(read(dripping(100, 1, 50)), isTooSlow);
});

test('a sender that falls silent is ended', async () => {
  const silent = async function* () {
    yield new Uint8Array(1_000_000);
    await new Promise(() => {});
  };
  await rejects(read(silent()), isTooSlow);
});

test('bytes from before the window count no more', async () => {
  const slowing = async function* () {
    yield new Uint8Array(1_000_000);
    yield* dripping(100, 1, 50);
  };
  await rejects(read(slowing()), isTooSlow);
});

test('a sender above the floor goes on for longer than the window', async () => {
  equal(await read(dripping(20, 1000, 60)), 20_000);
});

test('a sender that we keep waiting is not slow', async () => {
  equal(await read(dripping(10, 10, 0), 150), 100);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { webhookHeaders } from '../../../src/app/webhooks/post.ts';
import {
  ATTEMPTS_KEPT_MAX,
  afterAttempt,
  type PostResult,
  parseRetryAfter,
  RETRY_AFTER_SECONDS_MAX,
  RETRY_SECONDS,
  SERIES_SECONDS_MAX,
} from '../../../src/app/webhooks/retry-schedule.ts';
import type { WebhookDelivery } from '../../../src/domain/answers/webhook.ts';
import { verifyHook } from './webhook-receiver.ts';

const START = 1_767_225_600_000_000;
const SECOND = 1_000_000;

const FRESH: WebhookDelivery = {
  id: `msg_${'0'.repeat(32)}`,
  accountId: 1,
  identifier: 'ab'.repeat(32),
  url: 'https://desk.example/hook',
  state: 'pending',
  createdAt: START,
  seriesAt: START,
  nextAttemptAt: START,
  noticeId: null,
  attempts: [],
};

function answer(status: number | null, at = START, retryAfterSeconds: number | null = null): PostResult {
  return { at, status, error: status === 200 ? '' : 'no', elapsedMs: 0, retryAfterSeconds };
}

function pauseOf(delivery: WebhookDelivery, at = START): number {
  assert.ok(delivery.nextAttemptAt !== null, delivery.state);
  return (delivery.nextAttemptAt - at) / SECOND;
}

test('2xx ends it, 410 turns it away, anything else comes again', () => {
  for (const status of [200, 202, 204, 299]) {
    const { state, nextAttemptAt } = afterAttempt(FRESH, answer(status), 0);
    assert.deepEqual([state, nextAttemptAt], ['delivered', null], String(status));
  }
  assert.equal(afterAttempt(FRESH, answer(410), 0).state, 'gone');
  for (const status of [null, 199, 302, 400, 404, 429, 500]) {
    const next = afterAttempt(FRESH, answer(status), 0);
    assert.equal(next.state, 'pending', String(status));
    assert.equal(pauseOf(next), 5);
    assert.equal(next.attempts.length, 1);
  }
});

test('the delay grows, jitter only shortens it, and after a day it is given up', () => {
  for (const random of [0, 0.5, 0.999]) {
    let delivery = FRESH;
    let at = START;
    const pauses: number[] = [];
    while (delivery.state === 'pending') {
      delivery = afterAttempt(delivery, answer(500, at), random);
      if (delivery.nextAttemptAt === null) break;
      pauses.push((delivery.nextAttemptAt - at) / SECOND);
      at = delivery.nextAttemptAt;
    }
    assert.equal(delivery.state, 'failed');
    assert.equal(pauses.length, RETRY_SECONDS.length);
    assert.deepEqual(
      pauses,
      [...pauses].sort((a, b) => a - b),
    );
    for (const [index, pause] of pauses.entries()) {
      const full = RETRY_SECONDS[index] ?? 0;
      assert.ok(pause <= full && pause >= full * 0.8, `${pause} of ${full}`);
    }
    assert.ok((at - START) / SECOND <= SERIES_SECONDS_MAX);
    assert.ok((at - START) / SECOND > SERIES_SECONDS_MAX * 0.6, 'most of a day');
  }
});

test('Retry-After is honoured, within its bound, and never hastens', () => {
  assert.equal(pauseOf(afterAttempt(FRESH, answer(503, START, 90), 0)), 90);
  assert.equal(pauseOf(afterAttempt(FRESH, answer(503, START, 1), 0)), 5);
  const slow = { ...answer(503, START, 90), elapsedMs: 9000 };
  assert.equal(pauseOf(afterAttempt(FRESH, slow, 0)), 99, 'from the answer on, not from the question');
  assert.equal(pauseOf(afterAttempt(FRESH, answer(503, START, 1e9), 0)), RETRY_AFTER_SECONDS_MAX);
  const late = START + (SERIES_SECONDS_MAX - 60) * SECOND;
  assert.equal(afterAttempt(FRESH, answer(503, late, 3600), 0).state, 'failed');
});

test('a replay begins a new series, also under a running attempt', () => {
  const attempts = RETRY_SECONDS.map(() => ({ at: START, status: 500, error: 'no', elapsedMs: 1 }));
  const replayed = { ...FRESH, attempts, seriesAt: START + 9 * SECOND, nextAttemptAt: START + 9 * SECOND };
  const own = afterAttempt(replayed, answer(500, START + 10 * SECOND), 0);
  assert.equal(pauseOf(own, START + 10 * SECOND), 5);
  for (const status of [500, 410]) {
    const older = afterAttempt(replayed, answer(status, START + 8 * SECOND), 0);
    assert.deepEqual([older.state, older.nextAttemptAt], ['pending', replayed.nextAttemptAt]);
  }
});

test('the attempts that are kept are bounded', () => {
  let delivery = FRESH;
  for (let at = START; at < START + 200; at += 1) {
    delivery = { ...afterAttempt(delivery, answer(500, at), 0), seriesAt: at + 1, state: 'pending' };
  }
  assert.equal(delivery.attempts.length, ATTEMPTS_KEPT_MAX);
  assert.equal(delivery.attempts.at(-1)?.at, START + 199);
});

test('Retry-After in seconds, as a date, and as nonsense', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  assert.equal(parseRetryAfter('120', now), 120);
  assert.equal(parseRetryAfter('Thu, 01 Jan 2026 00:01:00 GMT', now), 60);
  assert.equal(parseRetryAfter('Wed, 31 Dec 2025 00:00:00 GMT', now), 0);
  for (const value of ['soon', '-5', '1e9', '']) assert.equal(parseRetryAfter(value, now), null, value);
  assert.equal(parseRetryAfter(undefined, now), null);
});

test('a message is signed as the specification’s example is', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const message = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: 1_614_265_330,
    body: '{"test": 2432232314}',
  };
  const headers = webhookHeaders(secret, message);
  assert.equal(headers['webhook-signature'], 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('a receiver that computes the code itself takes it, letter for letter', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const timestamp = Math.floor(Date.now() / 1000);
  const body = JSON.stringify({ name: 'été.jpg', confidence: 0.25 });
  const headers = webhookHeaders(secret, { id: FRESH.id, timestamp, body });
  assert.deepEqual(verifyHook(secret, { headers, body }), JSON.parse(body));
  assert.throws(() => verifyHook(secret, { headers, body: `${body} ` }));
  assert.throws(() => verifyHook(`whsec_${Buffer.alloc(32, 8).toString('base64')}`, { headers, body }));
});

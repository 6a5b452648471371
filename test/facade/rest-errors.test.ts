import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError, badField, type Reason } from '../../src/domain/errors.ts';
import { type ErrorShape, toErrorReply } from '../../src/port/errors.ts';

interface Case {
  name: string;
  error: unknown;
  shape?: ErrorShape;
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

const foreign = new AppError('unsupported_media_type', 'this is text');
const sized = (message: string): AppError =>
  new AppError('too_large', message, { metadata: { actual_bytes: '11', maximum_bytes: '10' } });

const CASES: readonly Case[] = [
  {
    name: 'a field at fault is named',
    error: badField('frames', 'expected 5'),
    status: 400,
    body: { error: { frames: ['expected 5'] } },
  },
  {
    name: 'two faults of one field are one list',
    error: new AppError('bad_field', 'both', {
      fields: [
        { field: 'a', description: 'one' },
        { field: 'a', description: 'two' },
      ],
    }),
    status: 400,
    body: { error: { a: ['one', 'two'] } },
  },
  {
    name: "a fault of the file goes to the route's field",
    error: foreign,
    shape: { field: 'image' },
    status: 400,
    body: { error: { image: ['this is text'] } },
  },
  {
    name: 'too large',
    error: sized('big'),
    shape: { field: 'image' },
    status: 413,
    body: { error: { image: ['big'] } },
  },
  {
    name: 'too large, validation: the detail has the figures',
    error: sized('big'),
    shape: { validation: true },
    status: 413,
    body: { valid: false, detail: 'big (11 bytes, at most 10 bytes)' },
  },
  {
    name: 'corrupt, validation',
    error: new AppError('corrupt', 'broken'),
    shape: { validation: true },
    status: 422,
    body: { valid: false, detail: 'broken' },
  },
  {
    name: 'a foreign format, validation of an image',
    error: foreign,
    shape: { field: 'file', validation: true },
    status: 400,
    body: { error: { file: ['this is text'] } },
  },
  {
    name: 'a foreign format, validation of sound',
    error: foreign,
    shape: { validation: true, foreignFormatIsUnprocessable: true },
    status: 422,
    body: { valid: false, detail: 'this is text' },
  },
  {
    name: 'the rate carries its headers',
    error: new AppError('rate', 'slow', { retryAfterSeconds: 1.2, metadata: { limit: '60' } }),
    status: 429,
    body: { message: 'slow' },
    headers: { 'retry-after': '2', 'ratelimit-policy': '"plan";q=60;w=60', ratelimit: '"plan";r=0;t=2' },
  },
  {
    name: '503 without a time still says when',
    error: new AppError('disk_full', 'full'),
    status: 503,
    body: { error: 'full' },
    headers: { 'retry-after': '5' },
  },
  {
    name: 'an unknown error says nothing',
    error: new Error('secret'),
    status: 500,
    body: { error: 'internal error' },
  },
  {
    name: "the framework's own refusal keeps its status",
    error: Object.assign(new Error('bad JSON'), { statusCode: 400 }),
    status: 400,
    body: { error: 'bad JSON' },
  },
];

for (const { name, error, shape, status, body, headers } of CASES) {
  test(name, () => {
    const reply = toErrorReply(error, shape);
    assert.equal(reply.status, status);
    assert.deepEqual(reply.body, body);
    if (headers !== undefined) assert.deepEqual(reply.headers, headers);
  });
}

const SHAPES: Readonly<Partial<Record<Reason, [number, 'error' | 'message']>>> = {
  key: [401, 'error'],
  credits: [402, 'error'],
  not_enabled: [403, 'error'],
  terms: [403, 'error'],
  classification: [404, 'error'],
  heatmap: [404, 'error'],
  no_models: [422, 'message'],
  list_too_long: [422, 'message'],
  queue_full: [429, 'message'],
  draining: [503, 'error'],
};

test('each reason has its documented status and shape', () => {
  for (const [reason, [status, key]] of Object.entries(SHAPES)) {
    const reply = toErrorReply(new AppError(reason as Reason, 'why'));
    assert.equal(reply.status, status, reason);
    assert.deepEqual(reply.body, { [key]: 'why' }, reason);
  }
});

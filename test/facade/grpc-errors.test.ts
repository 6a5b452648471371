import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromBinary } from '@bufbuild/protobuf';
import { anyUnpack } from '@bufbuild/protobuf/wkt';
import { type Metadata, status } from '@grpc/grpc-js';
import { AppError, badField, REASONS, type Reason } from '../../src/domain/errors.ts';
import { toServiceError } from '../../src/facade/grpc/errors.ts';
import {
  BadRequestSchema,
  ErrorInfoSchema,
  RetryInfoSchema,
} from '../../src/grpc/gen/google/rpc/error_details_pb.ts';
import { type Status, StatusSchema } from '../../src/grpc/gen/google/rpc/status_pb.ts';

interface Case {
  name: string;
  error: unknown;
  code: status;
  details: string;
  reason: string;
  metadata?: Record<string, string>;
  fields?: [field: string, description: string][];
  retrySeconds?: number;
}

const CASES: readonly Case[] = [
  {
    name: 'a field at fault is named by its path in the message',
    error: badField('with_heatmap', 'expected true'),
    code: status.INVALID_ARGUMENT,
    details: 'header.options.with_heatmap: expected true',
    reason: 'BAD_FIELD',
    fields: [['header.options.with_heatmap', 'expected true']],
  },
  {
    name: 'a field of the same name in both keeps it',
    error: badField('commit.sha256', 'does not match'),
    code: status.INVALID_ARGUMENT,
    details: 'commit.sha256: does not match',
    reason: 'BAD_FIELD',
    fields: [['commit.sha256', 'does not match']],
  },
  {
    name: 'figures travel as metadata',
    error: new AppError('too_large', 'too large', { metadata: { actual_bytes: '11', maximum_bytes: '10' } }),
    code: status.INVALID_ARGUMENT,
    details: 'too large',
    reason: 'TOO_LARGE',
    metadata: { actual_bytes: '11', maximum_bytes: '10' },
  },
  {
    name: 'an error states when to retry',
    error: new AppError('queue_full', 'the queue is full', { retryAfterSeconds: 1.5 }),
    code: status.RESOURCE_EXHAUSTED,
    details: 'the queue is full',
    reason: 'QUEUE_FULL',
    retrySeconds: 1.5,
  },
  {
    name: 'what may pass without a stated wait gets one',
    error: new AppError('starting', 'the models are being loaded'),
    code: status.UNAVAILABLE,
    details: 'the models are being loaded',
    reason: 'STARTING',
    retrySeconds: 5,
  },
  {
    name: 'a foreign error stays inside',
    error: new TypeError('secret of the box'),
    code: status.INTERNAL,
    details: 'internal error',
    reason: 'INTERNAL',
  },
  {
    name: 'an internal error with a text of its own stays inside too',
    error: new AppError('internal', 'secret of the box'),
    code: status.INTERNAL,
    details: 'internal error',
    reason: 'INTERNAL',
  },
  {
    name: 'an abort is a cancelled call',
    error: AbortSignal.abort().reason,
    code: status.CANCELLED,
    details: 'the caller went away',
    reason: 'CANCELLED',
  },
];

function packedStatus(metadata: Metadata | undefined): Status {
  const [bytes] = metadata?.get('grpc-status-details-bin') ?? [];
  assert.ok(bytes instanceof Uint8Array);
  return fromBinary(StatusSchema, bytes);
}

function check(expected: Case): void {
  const error = toServiceError(expected.error);
  assert.equal(error.code, expected.code);
  assert.equal(error.details, expected.details);
  const packed = packedStatus(error.metadata ?? undefined);
  assert.equal(packed.code, expected.code);
  assert.equal(packed.message, expected.details);
  const [first, ...rest] = packed.details;
  assert.ok(first !== undefined);
  const info = anyUnpack(first, ErrorInfoSchema);
  assert.equal(info?.reason, expected.reason);
  assert.equal(info?.domain, 'assay');
  assert.deepEqual({ ...info?.metadata }, expected.metadata ?? {});
  const violations = rest.flatMap((any) => anyUnpack(any, BadRequestSchema)?.fieldViolations ?? []);
  assert.deepEqual(
    violations.map(({ field, description }) => [field, description]),
    expected.fields ?? [],
  );
  const [delay] = rest.flatMap((any) => anyUnpack(any, RetryInfoSchema)?.retryDelay ?? []);
  const seconds = delay === undefined ? undefined : Number(delay.seconds) + delay.nanos / 1e9;
  assert.equal(seconds, expected.retrySeconds);
}

for (const row of CASES) test(`gRPC errors: ${row.name}`, () => check(row));

test('gRPC errors: every reason has a status of the same name as its code', () => {
  for (const [reason, { code }] of Object.entries(REASONS)) {
    const error = toServiceError(new AppError(reason as Reason, 'text'));
    assert.equal(status[error.code ?? -1], code.toUpperCase(), reason);
  }
});

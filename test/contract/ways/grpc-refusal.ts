/** A refusal over gRPC, read down to its details. */
import assert from 'node:assert/strict';
import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { fromBinary } from '@bufbuild/protobuf';
import { anyUnpack } from '@bufbuild/protobuf/wkt';
import { Metadata, status } from '@grpc/grpc-js';
import type { AssayClient } from '../../../src/cli/daemon/client.ts';
import { BadRequestSchema, ErrorInfoSchema } from '../../../src/grpc/gen/google/rpc/error_details_pb.ts';
import { StatusSchema } from '../../../src/grpc/gen/google/rpc/status_pb.ts';

export interface Refusal {
  /** Name of the gRPC status. */
  code: string;
  reason: string;
  fields: string[];
}

/** The call must be refused: how, and for which fields. */
export async function refusalOf<I extends DescMessage, O extends DescMessage>(
  client: AssayClient,
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
): Promise<Refusal> {
  const answer: MessageShape<O> | Error = await client.call(method, request).catch((error: Error) => error);
  assert(answer instanceof Error, `${method.name} was answered`);
  const cause: unknown = answer.cause;
  assert(cause instanceof Error && 'code' in cause && 'metadata' in cause);
  assert(cause.metadata instanceof Metadata);
  const [bytes] = cause.metadata.get('grpc-status-details-bin');
  assert(bytes instanceof Uint8Array, 'no details');
  const { details } = fromBinary(StatusSchema, bytes);
  const violations = details.flatMap((any) => anyUnpack(any, BadRequestSchema)?.fieldViolations ?? []);
  const [info] = details.flatMap((any) => anyUnpack(any, ErrorInfoSchema) ?? []);
  return {
    code: status[Number(cause.code)] ?? '',
    reason: info?.reason ?? '',
    fields: violations.map(({ field }) => field),
  };
}

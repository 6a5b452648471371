/** A refusal over gRPC, read down to its details. */
import { fromBinary } from '@bufbuild/protobuf';
import { anyUnpack } from '@bufbuild/protobuf/wkt';
import { Metadata, status } from '@grpc/grpc-js';
import { BadRequestSchema, ErrorInfoSchema } from '../../../src/grpc/gen/google/rpc/error_details_pb.ts';
import { StatusSchema } from '../../../src/grpc/gen/google/rpc/status_pb.ts';

export interface Refusal {
  /** Name of the status. */
  code: string;
  reason: string;
  /** Names of the fields at fault. */
  fields: string[];
}

/** What the error of a call says, which is its cause where a client threw it; throws an error that is no refusal. */
export function refusalIn(error: Error): Refusal {
  const refused: unknown = 'metadata' in error ? error : error.cause;
  if (!(refused instanceof Error && 'code' in refused && 'metadata' in refused)) throw error;
  if (!(refused.metadata instanceof Metadata)) throw error;
  const [bytes] = refused.metadata.get('grpc-status-details-bin');
  const details = bytes instanceof Uint8Array ? fromBinary(StatusSchema, bytes).details : [];
  const violations = details.flatMap((any) => anyUnpack(any, BadRequestSchema)?.fieldViolations ?? []);
  const [info] = details.flatMap((any) => anyUnpack(any, ErrorInfoSchema) ?? []);
  return {
    code: status[Number(refused.code)] ?? '',
    reason: info?.reason ?? '',
    fields: violations.map(({ field }) => field),
  };
}

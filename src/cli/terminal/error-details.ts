/** Reads the machine's part of an error: google.rpc.Status in the trailing metadata. */
import { fromBinary } from '@bufbuild/protobuf';
import { anyUnpack } from '@bufbuild/protobuf/wkt';
import {
  BadRequestSchema,
  ErrorInfoSchema,
  RetryInfoSchema,
} from '../../grpc/gen/google/rpc/error_details_pb.ts';
import { StatusSchema } from '../../grpc/gen/google/rpc/status_pb.ts';

const STATUS_KEY = 'grpc-status-details-bin';

export interface ErrorReason {
  /** A reason of domain/errors.ts in lower case, or null where the daemon itself did not answer. */
  reason: string | null;
  retryAfterSeconds: number | null;
  /** One sentence for each field at fault. */
  violations: string[];
}

export function decodeErrorReason(
  metadata: { get(key: string): (string | Buffer)[] } | undefined,
): ErrorReason {
  const found: ErrorReason = { reason: null, retryAfterSeconds: null, violations: [] };
  const [bytes] = metadata?.get(STATUS_KEY) ?? [];
  if (!(bytes instanceof Uint8Array)) return found;
  for (const detail of fromBinary(StatusSchema, bytes).details) {
    const info = anyUnpack(detail, ErrorInfoSchema);
    if (info !== undefined) found.reason = info.reason.toLowerCase();
    for (const { field, description } of anyUnpack(detail, BadRequestSchema)?.fieldViolations ?? []) {
      found.violations.push(`${field}: ${description}`);
    }
    const delay = anyUnpack(detail, RetryInfoSchema)?.retryDelay;
    if (delay !== undefined) found.retryAfterSeconds = Number(delay.seconds) + delay.nanos / 1e9;
  }
  return found;
}

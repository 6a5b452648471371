/** Turns anything thrown into a gRPC status with the machine's part in `grpc-status-details-bin`. */
import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { type Any, anyPack } from '@bufbuild/protobuf/wkt';
import { Metadata, type ServerErrorResponse, status } from '@grpc/grpc-js';
import { AppError, type ErrorCode, messageNaming, renameFields, toAppError } from '../../domain/errors.ts';
import { AnalysisOptionsSchema } from '../../grpc/gen/assay/v1/media_pb.ts';
import {
  BadRequestSchema,
  ErrorInfoSchema,
  RetryInfoSchema,
} from '../../grpc/gen/google/rpc/error_details_pb.ts';
import { StatusSchema } from '../../grpc/gen/google/rpc/status_pb.ts';

/** The domain in which reasons are unique (google.rpc.ErrorInfo). */
const ERROR_DOMAIN = 'assay';
const DETAILS_KEY = 'grpc-status-details-bin';

const STATUS_OF_CODE: Readonly<Record<ErrorCode, status>> = {
  cancelled: status.CANCELLED,
  invalid_argument: status.INVALID_ARGUMENT,
  deadline_exceeded: status.DEADLINE_EXCEEDED,
  not_found: status.NOT_FOUND,
  already_exists: status.ALREADY_EXISTS,
  permission_denied: status.PERMISSION_DENIED,
  resource_exhausted: status.RESOURCE_EXHAUSTED,
  failed_precondition: status.FAILED_PRECONDITION,
  internal: status.INTERNAL,
  unavailable: status.UNAVAILABLE,
  unauthenticated: status.UNAUTHENTICATED,
};

/** Paths of the app's fields in our messages; others have the same name. */
const PATH_OF_FIELD: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    limit: 'page_size',
    cursor: 'page_token',
    file_url: 'header.source_url',
    ref_id: 'header.ref_id',
    webhook_url: 'header.webhook_url',
    request_id: 'header.request_id',
    no_cache: 'header.no_cache',
    priority: 'header.priority',
    desk_id: 'header.desk_id',
    ...Object.fromEntries(AnalysisOptionsSchema.fields.map(({ name }) => [name, `header.options.${name}`])),
  }),
);

/** The delay before a retry if the error names none: soon for a person, rare for a loop. */
const RETRY_AFTER_SECONDS_DEFAULT = 5;

export function toServiceError(thrown: unknown): ServerErrorResponse {
  const error = toAppError(thrown);
  const code = STATUS_OF_CODE[error.code];
  const details = messageOf(error);
  const metadata = new Metadata();
  const bytes = toBinary(
    StatusSchema,
    create(StatusSchema, { code, message: details, details: detailsOf(error) }),
  );
  metadata.set(DETAILS_KEY, Buffer.from(bytes));
  return Object.assign(new Error(details), { code, details, metadata });
}

/** The name of the status for the metrics: `NOT_FOUND`. */
export const codeNameOf = (thrown: unknown): string => toAppError(thrown).code.toUpperCase();

function messageOf(error: AppError): string {
  if (error.reason === 'internal') return 'internal error';
  return messageNaming(error, pathOf);
}

function detail<S extends DescMessage>(schema: S, init: MessageInitShape<S>): Any {
  return anyPack(schema, create(schema, init));
}

function detailsOf(error: AppError): Any[] {
  const reason = error.reason.toUpperCase();
  const details = [detail(ErrorInfoSchema, { reason, domain: ERROR_DOMAIN, metadata: error.metadata })];
  if (error.fields.length > 0) {
    const fieldViolations = renameFields(error.fields, pathOf);
    details.push(detail(BadRequestSchema, { fieldViolations }));
  }
  const seconds = retrySecondsOf(error);
  if (seconds !== undefined) {
    const retryDelay = { seconds: BigInt(Math.floor(seconds)), nanos: Math.round((seconds % 1) * 1e9) };
    details.push(detail(RetryInfoSchema, { retryDelay }));
  }
  return details;
}

function retrySecondsOf(error: AppError): number | undefined {
  if (error.retryAfterSeconds !== undefined) return error.retryAfterSeconds;
  const mayPass = error.code === 'resource_exhausted' || error.code === 'unavailable';
  return mayPass ? RETRY_AFTER_SECONDS_DEFAULT : undefined;
}

const pathOf = (field: string): string => PATH_OF_FIELD.get(field) ?? field;

/** Runs what parses the message in the request's field `name`, so that faults name the whole path: `user.email`. */
export async function within<T>(name: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof AppError) || error.fields.length === 0) throw error;
    const { reason, metadata, retryAfterSeconds } = error;
    const rename = (field: string): string => `${name}.${field}`;
    const fields = renameFields(error.fields, rename);
    const retry = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
    throw new AppError(reason, messageNaming(error, rename), {
      fields,
      metadata,
      cause: error.cause,
      ...retry,
    });
  }
}

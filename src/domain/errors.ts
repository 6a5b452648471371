/** Every way a request can fail, with gRPC-style code and HTTP status. Facades map an AppError by one table each. */
import { codeOf } from './error-code.ts';

/** The closed set of codes, those of gRPC that Assay uses. */
export type ErrorCode =
  | 'invalid_argument'
  | 'unauthenticated'
  | 'permission_denied'
  | 'not_found'
  | 'already_exists'
  | 'failed_precondition'
  | 'resource_exhausted'
  | 'unavailable'
  | 'deadline_exceeded'
  | 'cancelled'
  | 'internal';

/** One row per reason. `http` is the status on REST (docs/interface.md, Errors). */
export const REASONS = {
  bad_field: { code: 'invalid_argument', http: 400 },
  unsupported_media_type: { code: 'invalid_argument', http: 400 },
  bad_address: { code: 'invalid_argument', http: 400 },
  too_large: { code: 'invalid_argument', http: 413 },
  corrupt: { code: 'invalid_argument', http: 422 },
  below_minimum: { code: 'invalid_argument', http: 422 },
  too_many_pixels: { code: 'invalid_argument', http: 422 },
  too_long: { code: 'invalid_argument', http: 422 },
  no_models: { code: 'invalid_argument', http: 422 },
  bad_model: { code: 'invalid_argument', http: 422 },
  list_too_long: { code: 'invalid_argument', http: 422 },
  request_reused: { code: 'invalid_argument', http: 422 },
  key: { code: 'unauthenticated', http: 401 },
  credentials: { code: 'unauthenticated', http: 401 },
  not_enabled: { code: 'permission_denied', http: 403 },
  terms: { code: 'permission_denied', http: 403 },
  read_only: { code: 'permission_denied', http: 403 },
  role: { code: 'permission_denied', http: 403 },
  classification: { code: 'not_found', http: 404 },
  heatmap: { code: 'not_found', http: 404 },
  media: { code: 'not_found', http: 404 },
  user: { code: 'not_found', http: 404 },
  desk: { code: 'not_found', http: 404 },
  plan: { code: 'not_found', http: 404 },
  api_key: { code: 'not_found', http: 404 },
  upload: { code: 'not_found', http: 404 },
  delivery: { code: 'not_found', http: 404 },
  model: { code: 'not_found', http: 404 },
  notice: { code: 'not_found', http: 404 },
  saved_filter: { code: 'not_found', http: 404 },
  watch_folder: { code: 'not_found', http: 404 },
  worker: { code: 'not_found', http: 404 },
  trust_list: { code: 'not_found', http: 404 },
  email: { code: 'already_exists', http: 400 },
  credits: { code: 'failed_precondition', http: 402 },
  already_ended: { code: 'failed_precondition', http: 409 },
  not_ended: { code: 'failed_precondition', http: 409 },
  last_admin: { code: 'failed_precondition', http: 409 },
  backup: { code: 'failed_precondition', http: 409 },
  sign_off: { code: 'failed_precondition', http: 409 },
  signing_key: { code: 'failed_precondition', http: 409 },
  model_exists: { code: 'failed_precondition', http: 409 },
  too_many: { code: 'failed_precondition', http: 409 },
  worker_here: { code: 'failed_precondition', http: 409 },
  watching: { code: 'failed_precondition', http: 409 },
  rate: { code: 'resource_exhausted', http: 429 },
  queue_full: { code: 'resource_exhausted', http: 429 },
  uploads_full: { code: 'resource_exhausted', http: 429 },
  starting: { code: 'unavailable', http: 503 },
  draining: { code: 'unavailable', http: 503 },
  disk_full: { code: 'unavailable', http: 503 },
  probe_busy: { code: 'unavailable', http: 503 },
  exhausted: { code: 'unavailable', http: 503 },
  mail: { code: 'unavailable', http: 503 },
  damaged: { code: 'internal', http: 500 },
  too_slow: { code: 'deadline_exceeded', http: 408 },
  deadline: { code: 'deadline_exceeded', http: 504 },
  cancelled: { code: 'cancelled', http: 499 },
  internal: { code: 'internal', http: 500 },
} as const satisfies Record<string, { code: ErrorCode; http: number }>;

export type Reason = keyof typeof REASONS;

/** A fault of one input field: which, what was expected and what was found, in one sentence. */
export interface FieldViolation {
  field: string;
  description: string;
}

export interface AppErrorDetails {
  /** Fields at fault; required for `bad_field`, optional elsewhere. */
  fields?: FieldViolation[];
  /** Figures for programs: actual and maximum bytes, model, required and actual size. */
  metadata?: Record<string, string>;
  /** Seconds after which the same call may succeed. */
  retryAfterSeconds?: number;
  cause?: unknown;
}

/** A failure with a public message. The cause is for the log only and never leaves the box. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly reason: Reason;
  readonly fields: FieldViolation[];
  readonly metadata: Record<string, string>;
  readonly retryAfterSeconds: number | undefined;

  constructor(reason: Reason, message: string, details: AppErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.reason = reason;
    this.fields = details.fields ?? [];
    this.metadata = details.metadata ?? {};
    this.retryAfterSeconds = details.retryAfterSeconds;
  }

  get code(): ErrorCode {
    return REASONS[this.reason].code;
  }

  get httpStatus(): number {
    return REASONS[this.reason].http;
  }
}

/** Every fault in one sentence, for clients that read no list of fields. */
export function describeViolations(violations: readonly FieldViolation[]): string {
  return violations.map(({ field, description }) => `${field}: ${description}`).join('; ');
}

export function renameFields(
  fields: readonly FieldViolation[],
  rename: (field: string) => string,
): FieldViolation[] {
  return fields.map(({ field, description }) => ({ field: rename(field), description }));
}

/** The message with its fields under a facade's own names. */
export function messageNaming({ message, fields }: AppError, rename: (field: string) => string): string {
  if (message === describeViolations(fields)) return describeViolations(renameFields(fields, rename));
  const [first] = fields;
  if (first === undefined || !message.startsWith(`${first.field}: `)) return message;
  return rename(first.field) + message.slice(first.field.length);
}

export function badField(field: string, description: string): AppError {
  const fields = [{ field, description }];
  return new AppError('bad_field', describeViolations(fields), { fields });
}

export function tooLarge(field: string, actualBytes: number, maximumBytes: number, qualifier = ''): AppError {
  const description = `the file has ${qualifier}${actualBytes} bytes, the maximum is ${maximumBytes} bytes`;
  return new AppError('too_large', description, {
    fields: [{ field, description }],
    metadata: { actual_bytes: String(actualBytes), maximum_bytes: String(maximumBytes) },
  });
}

/** Room must be made first, by a person or by retention. */
const DISK_RETRY_SECONDS = 60;
export function diskFull(cause?: unknown): AppError {
  return new AppError('disk_full', 'the disk is full: no new work is accepted until space is free', {
    retryAfterSeconds: DISK_RETRY_SECONDS,
    cause,
  });
}

/** Full, over its quota, read-only: files give names, the records' own library gives numbers. */
const DISK_FAULTS: readonly string[] = ['ENOSPC', 'EDQUOT', 'EROFS', '28', '122', '30'];

const isDiskFault = (error: unknown): boolean => DISK_FAULTS.includes(codeOf(error));

/** Clients that leave and work that ends free descriptors within seconds. */
const EXHAUSTED_RETRY_SECONDS = 5;
/** No descriptor, process or memory is left for this process. */
const EXHAUSTIONS: readonly string[] = ['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM'];

/** Whether the box lacked the means, so that neither caller nor file is at fault. */
export const isExhausted = (error: unknown): boolean => EXHAUSTIONS.includes(codeOf(error));

/** The error that a caller may see: an AppError as it is, anything else as `internal`. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isDiskFault(error)) {
    return new AppError('disk_full', 'the disk takes no more: no new work is accepted until space is free', {
      retryAfterSeconds: DISK_RETRY_SECONDS,
      cause: error,
    });
  }
  if (isExhausted(error)) {
    return new AppError('exhausted', 'the appliance has too many files and connections open', {
      retryAfterSeconds: EXHAUSTED_RETRY_SECONDS,
      cause: error,
    });
  }
  if (error instanceof Error && error.name === 'AbortError') {
    return new AppError('cancelled', 'the caller went away', { cause: error });
  }
  return new AppError('internal', 'internal error', { cause: error });
}

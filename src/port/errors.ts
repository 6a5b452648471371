/** Turns anything thrown into the documented error bodies (docs/interface.md, Errors). */
import { AppError, type Reason, toAppError } from '../domain/errors.ts';
import { rateHeaders } from './rate-headers.ts';

export type ErrorBody = { reason?: Reason } & (
  | { error: string | Record<string, string[]> }
  | { message: string }
  | { valid: false; detail: string }
);

export interface ErrorReply {
  status: number;
  headers: Record<string, string>;
  body: ErrorBody;
}

/** How a route shapes its errors: the form field that faults of the file are reported under, and validation's own bodies. */
export interface ErrorShape {
  field?: string | undefined;
  validation?: boolean | undefined;
  /** Validation of sound answers a foreign format with 422 (docs/interface.md, Validate). */
  foreignFormatIsUnprocessable?: boolean | undefined;
  /** The page words a refusal by its reason. */
  withReason?: boolean | undefined;
}

const FIELD_REASONS: ReadonlySet<Reason> = new Set([
  'bad_field',
  'unsupported_media_type',
  'bad_address',
  'too_large',
  'corrupt',
  'below_minimum',
  'too_many_pixels',
  'too_long',
  'email',
]);

const MESSAGE_REASONS: ReadonlySet<Reason> = new Set([
  'no_models',
  'list_too_long',
  'request_reused',
  'rate',
  'queue_full',
  'uploads_full',
]);

const INVALID_FILE_REASONS: ReadonlySet<Reason> = new Set([
  'too_large',
  'corrupt',
  'below_minimum',
  'too_many_pixels',
  'too_long',
]);

/** Fields that REST takes from a header instead of the form. */
const HEADER_OF_FIELD: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({ request_id: 'Idempotency-Key' }),
);

/** For a 429 or 503 without a time: soon enough for a person, rare enough for a loop. */
const RETRY_AFTER_SECONDS_DEFAULT = 5;

export function toErrorReply(error: unknown, shape: ErrorShape = {}): ErrorReply {
  const clientFault = clientFaultOf(error, shape.field);
  if (clientFault !== undefined) return clientFault;
  const appError = toAppError(error);
  const invalid = invalidFileReply(appError, shape);
  if (invalid !== undefined) return invalid;
  return {
    status: appError.httpStatus,
    headers: retryHeaders(appError),
    body: {
      ...toBody(appError, shape.field ?? 'file'),
      ...(shape.withReason === true ? { reason: appError.reason } : {}),
    },
  };
}

/** Whether the operator must see it: a 5xx that no state of the box explains. */
export function isInternal(error: unknown): boolean {
  return clientFaultOf(error) === undefined && toAppError(error).code === 'internal';
}

function toBody(error: AppError, field: string): ErrorBody {
  if (FIELD_REASONS.has(error.reason)) return { error: fieldMessages(error, field) };
  if (MESSAGE_REASONS.has(error.reason)) return { message: error.message };
  return { error: error.reason === 'internal' ? 'internal error' : error.message };
}

function fieldMessages(error: AppError, field: string): Record<string, string[]> {
  if (error.fields.length === 0) return { [field]: [error.message] };
  const messages = new Map<string, string[]>();
  for (const { field: named, description } of error.fields) {
    const place = HEADER_OF_FIELD.get(named) ?? named;
    messages.set(place, [...(messages.get(place) ?? []), description]);
  }
  return Object.fromEntries(messages);
}

function invalidFileReply(error: AppError, shape: ErrorShape): ErrorReply | undefined {
  if (shape.validation !== true) return undefined;
  const isForeign = error.reason === 'unsupported_media_type' && shape.foreignFormatIsUnprocessable === true;
  if (!isForeign && !INVALID_FILE_REASONS.has(error.reason)) return undefined;
  const status = isForeign ? 422 : error.httpStatus;
  return { status, headers: {}, body: { valid: false, detail: detailOf(error) } };
}

/** A documented 413 states both figures, so they are added if its sentence lacks them. */
function detailOf(error: AppError): string {
  const { actual_bytes: actual, maximum_bytes: maximum } = error.metadata;
  if (error.reason !== 'too_large' || actual === undefined || maximum === undefined) return error.message;
  if (error.message.includes(actual) && error.message.includes(maximum)) return error.message;
  return `${error.message} (${actual} bytes, at most ${maximum} bytes)`;
}

function retryHeaders(error: AppError): Record<string, string> {
  if (error.httpStatus !== 429 && error.httpStatus !== 503) return {};
  const seconds = String(Math.max(1, Math.ceil(error.retryAfterSeconds ?? RETRY_AFTER_SECONDS_DEFAULT)));
  const limit = Number(error.metadata.limit ?? 0);
  if (error.reason !== 'rate' || limit === 0) return { 'retry-after': seconds };
  return { 'retry-after': seconds, ...rateHeaders({ limit, remaining: 0, resetSeconds: Number(seconds) }) };
}

/** Statuses that are documented as faults of a field; an unreadable body is reported under the route's field. */
const FIELD_STATUSES: readonly number[] = [400, 413];

/** Fastify's own refusals (bad JSON, oversized body, unknown content type) name a status below 500. */
function clientFaultOf(error: unknown, field?: string): ErrorReply | undefined {
  if (error instanceof AppError || !(error instanceof Error) || !('statusCode' in error)) return undefined;
  const status = error.statusCode;
  if (typeof status !== 'number' || status < 400 || status >= 500) return undefined;
  const isOfField = field !== undefined && FIELD_STATUSES.includes(status);
  return { status, headers: {}, body: { error: isOfField ? { [field]: [error.message] } : error.message } };
}

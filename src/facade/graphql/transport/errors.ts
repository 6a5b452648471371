/** A caller's mistakes are data (`userErrors`), others errors with `extensions.code`; only an AppError's text is shown. */
import {
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLErrorOptions,
  type GraphQLFormattedError,
} from 'graphql';
import type { Logger } from 'pino';
import { AppError, type ErrorCode, messageNaming, renameFields, toAppError } from '../../../domain/errors.ts';

/** Codes that a mutation reports as data. */
export const USER_ERROR_CODES = [
  'invalid_argument',
  'permission_denied',
  'not_found',
  'already_exists',
  'failed_precondition',
  'resource_exhausted',
] as const satisfies readonly ErrorCode[];
export type UserErrorCode = (typeof USER_ERROR_CODES)[number];

/** The result as graphql-ws declares it: its properties may be undefined. */
export interface ShownResult {
  data?: FormattedExecutionResult['data'] | undefined;
  errors?: readonly GraphQLError[] | undefined;
}

export interface UserError {
  code: UserErrorCode;
  reason: string;
  field: string | null;
  message: string;
  retryAfterSeconds: number | null;
  metadata: Record<string, string>;
}

/** The caller's mistakes behind a thrown value, one for each field at fault; rethrows what is not the caller's. */
export function toUserErrors(error: unknown): UserError[] {
  const appError = toAppError(error);
  const code = USER_ERROR_CODES.find((name) => name === appError.code);
  if (code === undefined) throw error;
  const base = {
    code,
    reason: appError.reason,
    retryAfterSeconds: appError.retryAfterSeconds ?? null,
    metadata: appError.metadata,
  };
  const message = messageNaming(appError, toArgumentName);
  const fields = renameFields(appError.fields, toArgumentName);
  if (fields.length === 0) return [{ ...base, field: null, message }];
  return fields.map(({ field, description }) => ({
    ...base,
    field,
    message: fields.length === 1 ? message : description,
  }));
}

/** The names that connections have for the app's fields of a page; other names differ only in case. */
const ARGUMENT_OF_FIELD: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({ limit: 'first', cursor: 'after' }),
);

const toArgumentName = (field: string): string => ARGUMENT_OF_FIELD.get(field) ?? toCamelCase(field);

/** `ref_id` as GraphQL names it: `refId`. */
export function toCamelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** The form in which an AppError leaves by GraphQL; `http` is taken out by the transport and sets the status. */
export function toGraphqlError(error: unknown, located?: GraphQLError): GraphQLError {
  const appError = toAppError(error);
  const { code, reason, httpStatus, retryAfterSeconds } = appError;
  // Every facade names a damaged record: the reader of a list must know what is missing.
  const message = reason === 'internal' ? 'internal error' : messageNaming(appError, toArgumentName);
  const fields = renameFields(appError.fields, toArgumentName);
  const headers = retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) };
  return new GraphQLError(message, {
    ...placeOf(located),
    extensions: {
      code: code.toUpperCase(),
      reason,
      ...(fields.length === 0 ? {} : { fields }),
      ...(Object.keys(appError.metadata).length === 0 ? {} : { metadata: appError.metadata }),
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      ...(isOfOneRow(appError, located) ? {} : { http: { status: httpStatus, headers } }),
    },
  });
}

/** True for an error of one row; the other rows decide the status of the answer. */
function isOfOneRow({ reason }: AppError, located: GraphQLError | undefined): boolean {
  return reason === 'damaged' && located?.path?.some((part) => typeof part === 'number') === true;
}

/** What a client sees of an error. Suggestions (`Did you mean …`) would give away a schema that introspection hides. */
export function createErrorMask(log: Logger, hideSuggestions: boolean): (error: unknown) => GraphQLError {
  return (error) => {
    const cause = rootCauseOf(error);
    if (cause instanceof GraphQLError) {
      const shown = error instanceof GraphQLError ? error : cause;
      return hideSuggestions ? withoutSuggestion(shown) : shown;
    }
    if (toAppError(cause).reason === 'internal') log.error({ err: cause }, 'graphql operation failed');
    return toGraphqlError(cause, error instanceof GraphQLError ? error : undefined);
  };
}

function rootCauseOf(error: unknown): unknown {
  let cause = error;
  while (cause instanceof GraphQLError && cause.originalError !== undefined) cause = cause.originalError;
  if (cause instanceof Error && !(cause instanceof AppError) && cause.cause instanceof AppError) {
    return cause.cause;
  }
  return cause;
}

/** Cuts the names that a validation message suggests. */
export function withoutSuggestion(error: GraphQLError): GraphQLError {
  const at = error.message.indexOf(' Did you mean ');
  if (at === -1) return error;
  return new GraphQLError(error.message.slice(0, at), { ...placeOf(error), extensions: error.extensions });
}

/** The place in the document at which an error arose. */
function placeOf(error: GraphQLError | undefined): GraphQLErrorOptions {
  return {
    nodes: error?.nodes ?? null,
    source: error?.source ?? null,
    positions: error?.positions ?? null,
    path: error?.path ?? null,
  };
}

export function formatResult({ data, errors }: ShownResult): FormattedExecutionResult {
  const shown = data === undefined ? {} : { data };
  return errors === undefined ? shown : { ...shown, errors: formatErrors(errors) };
}

export function formatErrors(errors: readonly GraphQLError[]): GraphQLFormattedError[] {
  return errors.map((error) => withoutHttp(error).toJSON());
}

/** Removes `http`, which only the HTTP transport reads; a WebSocket would show it to the client. */
export function withoutHttp(error: GraphQLError): GraphQLError {
  const { http, ...extensions } = error.extensions;
  if (http === undefined) return error;
  return new GraphQLError(error.message, { ...placeOf(error), extensions });
}

/** Faults in the protocol's own statuses, and as JSON like all errors over HTTP. */
import { type CancellationContext, Server } from '@tus/server';
import type { App } from '../../app/appliance/app.ts';
import { AppError, toAppError } from '../../domain/errors.ts';

const RETRY_AFTER_SECONDS_DEFAULT = 5;

/** What the library throws: a status and a sentence. */
interface TusFault {
  status_code: number;
  body: string;
}

/** The status and the sentence for whatever a request threw. */
export function sentenceOf(
  app: App,
  error: Error | TusFault,
  retryAfter: (seconds: number) => void,
): TusFault {
  if (!(error instanceof Error)) return { ...error, body: error.body.trim() };
  const fault = toAppError(error);
  if (fault.code === 'internal') app.log.error({ err: error }, 'a tus request failed');
  const { httpStatus } = fault;
  if (httpStatus === 429 || httpStatus === 503) {
    retryAfter(Math.max(1, Math.ceil(fault.retryAfterSeconds ?? RETRY_AFTER_SECONDS_DEFAULT)));
  }
  return { status_code: httpStatus, body: error instanceof AppError ? fault.message : 'internal error' };
}

/** The library writes a fault's sentence as text. */
export class TusAnswers extends Server {
  override write(
    context: CancellationContext,
    headers: Headers,
    status: number,
    body = '',
  ): ReturnType<Server['write']> {
    if (status < 400) return super.write(context, headers, status, body);
    headers.set('content-type', 'application/json; charset=utf-8');
    return super.write(context, headers, status, JSON.stringify({ error: body.trim() }));
  }
}

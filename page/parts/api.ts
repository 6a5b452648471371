/** How the page asks the daemon: GraphQL with the session and its token, and the session's own small routes. */
import type { Fault } from '../gen/documents.ts';
import { Cell } from '../state/cell.ts';
import { sayFault } from '../texts/daemon/faults.ts';
import { t } from '../texts/language.ts';
import type { Document } from './document.ts';

export interface AccountInfo {
  id: number;
  name: string;
  email: string;
  role: 'user' | 'partner' | 'admin';
  readonly: boolean;
  mustAcceptTerms: boolean;
  browsers: number;
}

export interface SessionInfo {
  version: string;
  isRegistrationOpen: boolean;
  areTermsRequired: boolean;
  /** Whether a mail server is set. */
  isMailSent: boolean;
  csrfToken?: string;
  /** Other services that search by picture. */
  searchElsewhere?: readonly string[];
  account: AccountInfo | null;
}

/** Null until the daemon was asked for the first time. */
export const session = new Cell<SessionInfo | null>(null);

/** A refusal, in the reader's language. */
export class ApiError extends Error {
  readonly code: string;
  readonly reason: string;
  readonly field: string | null;

  constructor(
    message: string,
    {
      code,
      reason = '',
      field = null,
      metadata = {},
    }: { code: string; reason?: string; field?: string | null; metadata?: unknown },
  ) {
    super(sayFault({ message, reason, field, metadata }));
    this.code = code;
    this.reason = reason;
    this.field = field;
  }
}

export async function loadSession(): Promise<void> {
  session.set((await askSession('GET', '')) as unknown as SessionInfo);
}

/** POST to `/session/…`. */
export async function postSession(path: string, fields: object = {}): Promise<Record<string, unknown>> {
  return await askSession('POST', `/${path}`, JSON.stringify(fields));
}

async function askSession(method: string, path: string, body?: string): Promise<Record<string, unknown>> {
  const init = { method, headers: headers(), ...(body === undefined ? {} : { body }) };
  const response = await reach(() => fetch(`/session${path}`, init));
  const answer = (await response.json()) as Record<string, unknown>;
  if (response.ok) return answer;
  throw toSessionError(answer, response.status);
}

/** The daemon names a field at fault as `{error: {field: [sentence]}}`, anything else as a sentence. */
function toSessionError({ error, message, reason }: Record<string, unknown>, status: number): ApiError {
  const code = status === 401 ? 'UNAUTHENTICATED' : String(status);
  if (typeof error === 'object' && error !== null) {
    const [[field, sentences] = ['', []]] = Object.entries(error as Record<string, string[]>);
    return new ApiError(sentences.join(' '), { code, field, reason: String(reason ?? '') });
  }
  return new ApiError(String(error ?? message ?? status), { code, reason: String(reason ?? '') });
}

export function headers(): Record<string, string> {
  const token = session.get()?.csrfToken;
  return { 'content-type': 'application/json', ...(token === undefined ? {} : { 'x-assay-csrf': token }) };
}

async function reach(ask: () => Promise<Response>): Promise<Response> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof DOMException) throw error;
    throw new ApiError(t('unreachable'), { code: 'UNREACHABLE' });
  }
}

export interface GraphqlAnswer {
  data?: Record<string, unknown> | null;
  errors?: {
    message: string;
    path?: readonly (string | number)[];
    extensions?: { code?: string; reason?: string; metadata?: Record<string, string> };
  }[];
}

/** One query; throws the first error of the answer. */
export async function ask<Answer, Variables>(
  query: Document<Answer, Variables>,
  variables: NoInfer<Variables>,
  signal?: AbortSignal,
): Promise<Answer> {
  return readAnswer(await post(query, variables, signal)) as Answer;
}

/** A row of a list that the daemon cannot show. */
export interface RefusedRow {
  identifier: string;
  /** The time at which it was accepted, as in the other rows. */
  createdAt: string;
  /** The daemon's sentence. */
  refusal: string;
}

/** Works as `ask` for a list whose rows may be null: `refused` has the fault of each of them by its index. */
export async function askRows<Answer, Variables>(
  query: Document<Answer, Variables>,
  variables: NoInfer<Variables>,
): Promise<{ answer: Answer; refused: ReadonlyMap<number, RefusedRow> }> {
  const { data, errors = [] } = await post(query, variables);
  const refused = new Map<number, RefusedRow>();
  const others = errors.filter(({ message, path, extensions }) => {
    const place = path?.at(-1);
    const { identifier, createdAt = '' } = extensions?.metadata ?? {};
    if (extensions?.reason !== 'damaged' || typeof place !== 'number' || identifier === undefined)
      return true;
    refused.set(place, { identifier, createdAt, refusal: message });
    return false;
  });
  const whole: GraphqlAnswer = others.length === 0 ? { data: data ?? null } : { errors: others };
  return { answer: readAnswer(whole) as Answer, refused };
}

async function post(query: string, variables: unknown, signal?: AbortSignal): Promise<GraphqlAnswer> {
  const body = JSON.stringify({ query, variables });
  const init = { method: 'POST', headers: headers(), body, ...(signal === undefined ? {} : { signal }) };
  const response = await reach(() => fetch('/graphql', init));
  return (await response.json()) as GraphqlAnswer;
}

export function readAnswer({ data, errors }: GraphqlAnswer): Record<string, unknown> {
  const [first] = errors ?? [];
  if (first === undefined && data) return data;
  const { code = 'INTERNAL', reason = '', metadata = {} } = first?.extensions ?? {};
  if (code === 'UNAUTHENTICATED') void loadSession();
  throw new ApiError(first?.message ?? t('unreachable'), { code, reason, metadata });
}

/** What a mutation answers that succeeded: its value is null only beside a fault. */
type Payload<Answer, Of = NonNullable<Answer[keyof Answer]>> = { [K in keyof Of]: NonNullable<Of[K]> };

/** One mutation with one root field, which asks for its faults; throws the first of them. */
export async function change<Answer extends object, Variables>(
  query: Document<Answer, Variables>,
  variables: NoInfer<Variables>,
): Promise<Payload<Answer>> {
  return payloadOf<Answer>(await ask(query, variables));
}

export function payloadOf<Answer extends object>(data: Answer): Payload<Answer> {
  const [payload] = Object.values(data) as [Payload<Answer> & { userErrors: Fault[] }];
  const [fault] = payload.userErrors;
  if (fault !== undefined) throw new ApiError(fault.message, fault);
  return payload;
}

export const sentenceOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

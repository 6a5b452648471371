import type { Label, MediaKind } from '../../../src/domain/media/media.ts';
import { toWhole, type WholeRecord } from '../media-record.ts';
import {
  type Caller,
  type Fault,
  mapValue,
  type Result,
  type SharedOverride,
  type SharedUser,
  type SharedValidation,
  type SubmitOptions,
} from './caller.ts';

interface RestUser extends Omit<SharedUser, 'pricing' | 'partnerId'> {
  pricing: { sku: string };
  partner: { id: number } | null;
}

interface Identified {
  identifier: string;
}

const POLL_MS = 50;
const POLLS_MAX = 600;

/** Status to code; REST's bodies carry no code of their own. */
const CODES: Record<number, string> = {
  400: 'invalid_argument',
  401: 'unauthenticated',
  404: 'not_found',
  413: 'invalid_argument',
  422: 'invalid_argument',
};

export class RestCaller implements Caller {
  readonly name = 'REST';
  readonly #base: string;
  readonly #key: string;

  constructor(base: string, key: string) {
    this.#base = base;
    this.#key = key;
  }

  [Symbol.dispose](): void {}

  async submit(kind: MediaKind, bytes: Uint8Array, options: SubmitOptions = {}): Promise<Result<string>> {
    const { name, ...fields } = options;
    const form = toForm({ ...fieldsOf(fields), [kind]: bytes }, name);
    const result = await this.#call<Identified>('POST', `/api/classification_${kind}`, { body: form });
    return mapValue(result, ({ identifier }) => identifier);
  }

  async classify(
    kind: MediaKind,
    bytes: Uint8Array,
    options: SubmitOptions = {},
  ): Promise<Result<WholeRecord>> {
    const submitted = await this.submit(kind, bytes, options);
    if ('fault' in submitted) return submitted;
    for (let poll = 0; poll < POLLS_MAX; poll += 1) {
      const record = await this.read(kind, submitted.value);
      if ('fault' in record || record.value.status !== 'new') return record;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    throw new Error('the record did not end');
  }

  async read(kind: MediaKind, identifier: string): Promise<Result<WholeRecord>> {
    const path = `/api/classification_${kind}/${identifier}`;
    return mapValue(await this.#call<Record<string, unknown>>('GET', path), toWhole);
  }

  async readMany(kind: MediaKind, identifiers: string[]): Promise<Result<string[]>> {
    const query = new URLSearchParams(identifiers.map((identifier) => ['identifiers[]', identifier]));
    return identifiersOf(await this.#call('GET', `/api/classifications_${kind}?${query}`));
  }

  async list(kind: MediaKind): Promise<Result<string[]>> {
    return identifiersOf(await this.#call('GET', `/api/classifications_${kind}`));
  }

  async validate(
    kind: MediaKind,
    bytes: Uint8Array,
    options: SubmitOptions = {},
  ): Promise<Result<SharedValidation>> {
    const form = toForm({ ...fieldsOf(options), type: kind, file: bytes });
    const result = await this.#call<SharedValidation>('POST', '/api/validate', { body: form });
    return mapValue(result, (value) => ({ ...value, models: value.models.sort() }));
  }

  async override(kind: MediaKind, hash: string, classification: Label | ''): Promise<Result<SharedOverride>> {
    return await this.#json(`/api/classification_${kind}/${hash}/override`, { classification });
  }

  async credits(): Promise<Result<{ available: number; spent: number }>> {
    const result = await this.#call<{ available_credits: number; total_spent: number }>(
      'GET',
      '/api/user/credits',
    );
    return mapValue(result, (value) => ({ available: value.available_credits, spent: value.total_spent }));
  }

  async createUser(fields: { name?: string; email?: string }): Promise<Result<SharedUser>> {
    return mapValue(await this.#json<{ data: RestUser }>('/api/user', fields), toUser);
  }

  async deleteUser(id: number): Promise<Result<SharedUser>> {
    return mapValue(await this.#call<{ data: RestUser }>('DELETE', `/api/user?id=${id}`), toUser);
  }

  async sendCreationEmail(id: number): Promise<Result<SharedUser>> {
    const body = toForm({ id: String(id) });
    const path = '/api/partner/send_creation_email';
    return mapValue(await this.#call<{ data: RestUser }>('POST', path, { body }), toUser);
  }

  async listUsers(filter: string): Promise<Result<{ total: number; names: string[] }>> {
    const path = `/api/partner/users?${new URLSearchParams({ filter })}`;
    const result = await this.#call<{ total: number; data: { name: string }[] }>('GET', path);
    return mapValue(result, ({ total, data }) => ({ total, names: data.map(({ name }) => name) }));
  }

  #json<T>(path: string, body: unknown): Promise<Result<T>> {
    const headers = { 'content-type': 'application/json' };
    return this.#call('POST', path, { body: JSON.stringify(body), headers });
  }

  async #call<T>(method: string, path: string, init: RequestInit = {}): Promise<Result<T>> {
    const headers = { ...init.headers, 'x-api-key': this.#key, accept: 'application/json' };
    const response = await fetch(this.#base + path, { ...init, method, headers });
    const body: unknown = await response.json();
    return response.ok ? { value: body as T } : { fault: faultOf(response.status, body) };
  }
}

function faultOf(status: number, body: unknown): Fault {
  const { error } = body as { error?: string | Record<string, string[]> };
  const field = typeof error === 'object' ? (Object.keys(error)[0] ?? '') : '';
  return { code: CODES[status] ?? String(status), reason: String(status), field };
}

function identifiersOf(result: Result<Identified[]>): Result<string[]> {
  return mapValue(result, (records) => records.map(({ identifier }) => identifier));
}

function toUser({ data }: { data: RestUser }): SharedUser {
  const { id, name, email, balance, heuristic, readonly, pricing, partner } = data;
  const partnerId = partner?.id ?? null;
  return { id, name, email, balance, heuristic, readonly, pricing: pricing.sku, partnerId };
}

/** Option names with underscores, values as a form writes them. */
function fieldsOf(options: SubmitOptions): Record<string, string> {
  const named = Object.entries(options).map(([name, value]) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    String(value),
  ]);
  return Object.fromEntries(named);
}

function toForm(fields: Record<string, string | Uint8Array>, fileName = 'file'): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') form.set(name, value);
    else form.set(name, new Blob([new Uint8Array(value)]), fileName);
  }
  return form;
}

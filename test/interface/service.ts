/** The stage of the interface's tests; each answer is also held against the description at /openapi.json. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createKey } from '../../src/app/accounts/keys.ts';
import { createPlan } from '../../src/app/accounts/plans.ts';
import { grantCredits } from '../../src/app/accounts/users.ts';
import type { RawFields } from '../../src/app/field-parsers.ts';
import { addUser, openServedApp, principalOf, type ServedApp } from '../app/open-app.ts';
import { until } from '../faults/rounds/submissions.ts';
import { SharedResource } from '../runner/shared-resource.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { assertDescribed } from './description.ts';
import { writeTinyPacks } from './packs.ts';

const LOOPBACK = '127.0.0.0/8';

export interface Service extends AsyncDisposable {
  open: ServedApp;
  url: string;
  grpc: string;
}

export async function openService(env: Record<string, string> = {}): Promise<Service> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await makeTemporaryFolder());
  await writeTinyPacks(folder.path);
  const settings = {
    ASSAY_MODELS_FOLDERS: folder.path,
    ...{ ASSAY_ANALYSIS_STABILITY: 'false', ASSAY_FETCH_ALLOW_NETWORKS: LOOPBACK },
    ASSAY_WEBHOOK_ALLOW_NETWORKS: LOOPBACK,
    ...env,
  };
  const open = stack.use(await openServedApp(settings));
  const { engine } = open.app;
  await until(() => engine.phase === 'ready', 'the models');
  const held = stack.move();
  return {
    open,
    url: open.url,
    grpc: open.daemon.grpc.address,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

const shared = new Map<string, SharedResource<Service>>();

/** The service of all files of this process that want these settings: what a test leaves there, it leaves in accounts of its own. */
export async function shareService(env: Record<string, string> = {}): Promise<Service> {
  const key = JSON.stringify(env);
  const resource = shared.get(key) ?? new SharedResource(() => openService(env));
  shared.set(key, resource);
  const service = await resource.take();
  return { ...service, [Symbol.asyncDispose]: async () => resource.leave() };
}

export interface Answer {
  status: number;
  headers: Headers;
  /** JSON where the answer is JSON, text where it is text, bytes else. */
  // biome-ignore lint/suspicious/noExplicitAny: each test names the fields that it expects
  body: any;
}

export type FormFields = Record<string, string | Uint8Array | Blob | undefined>;

export interface CustomerOptions {
  /** Fields of a plan of the customer's own; the appliance's plan where absent. */
  plan?: RawFields;
  user?: RawFields;
  credits?: number;
  /** The partner who makes the account; the administrator where absent. */
  by?: number;
}

/** An account with one key, as its program sees the service. */
export class Customer {
  readonly id: number;
  readonly key: string;
  readonly url: string;

  constructor(url: string, id: number, key: string) {
    this.url = url;
    this.id = id;
    this.key = key;
  }

  async call(method: string, path: string, init: RequestInit = {}): Promise<Answer> {
    const headers = new Headers(init.headers);
    if (!headers.has('x-api-key') && this.key !== '') headers.set('x-api-key', this.key);
    const response = await fetch(this.url + path, { ...init, method, headers });
    const contentType = response.headers.get('content-type') ?? '';
    const body = await bodyOf(response, contentType);
    const { status } = response;
    assertDescribed({ method, path: path.split('?', 1)[0] ?? path, status, contentType, body });
    return { status, headers: response.headers, body };
  }

  get(path: string): Promise<Answer> {
    return this.call('GET', path);
  }

  post(path: string, fields: FormFields, accept = 'application/json', more = {}): Promise<Answer> {
    return this.call('POST', path, { body: toForm(fields), headers: { accept, ...more } });
  }

  postJson(path: string, body: unknown): Promise<Answer> {
    const headers = { 'content-type': 'application/json' };
    return this.call('POST', path, { body: JSON.stringify(body), headers });
  }

  /** The identifier of a submission that must be accepted. */
  async submit(path: string, fields: FormFields): Promise<string> {
    const { status, body } = await this.post(path, fields);
    assert.equal(status, 200, JSON.stringify(body));
    return body.identifier;
  }

  /** The record once it has ended. */
  async ended(kind: string, identifier: string): Promise<Answer['body']> {
    const path = `/api/classification_${kind}/${identifier}`;
    let record: Answer['body'];
    const hasEnded = async (): Promise<boolean> => {
      const answer = await this.get(path);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      record = answer.body;
      return record.status !== 'new';
    };
    await until(hasEnded, `${identifier} to end`);
    return record;
  }

  /** The record of a submission that must be accepted, once it has ended. */
  async classify(kind: 'image' | 'video' | 'audio', fields: FormFields): Promise<Answer['body']> {
    const identifier = await this.submit(`/api/classification_${kind}`, fields);
    return await this.ended(kind, identifier);
  }

  async credits(): Promise<{ available_credits: number; total_spent: number }> {
    return (await this.get('/api/user/credits')).body;
  }
}

export async function addCustomer(service: Service, options: CustomerOptions = {}): Promise<Customer> {
  const { app, admin } = service.open;
  const fields: Record<string, unknown> = { ...options.user };
  if (options.plan !== undefined) {
    const name = `Plan ${randomUUID()}`;
    const plan = await createPlan(app, { principal: admin, fields: { name, ...options.plan } });
    fields.pricing_id = plan.id;
  }
  const maker = options.by === undefined ? admin : principalOf(app, options.by);
  const { id } = await addUser(app, maker, fields);
  if (options.credits !== undefined) {
    await grantCredits(app, { principal: admin, id, amount: options.credits, note: '' });
  }
  const { secret } = await createKey(app, { principal: admin, userId: id, name: 'test' });
  return new Customer(service.url, id, secret);
}

/** One with a key that is none, or with no key. */
export function strangerAt({ url }: Service, key = ''): Customer {
  return new Customer(url, 0, key);
}

export function toForm(fields: FormFields): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    if (typeof value === 'string') form.set(name, value);
    else if (value instanceof Blob) form.set(name, value);
    else form.set(name, new Blob([new Uint8Array(value)]), `${name}.bin`);
  }
  return form;
}

/** A file under a name of its own. */
export function fileOf(bytes: Uint8Array, name: string): File {
  return new File([new Uint8Array(bytes)], name);
}

async function bodyOf(response: Response, contentType: string): Promise<unknown> {
  if (contentType.startsWith('application/json')) return await response.json();
  if (contentType.startsWith('text/')) return await response.text();
  return Buffer.from(await response.arrayBuffer());
}

/** What clients do in a history: each call is a real use case, and its answer is what the book remembers. */
import { createHash } from 'node:crypto';
import { listLedger } from '../../../src/app/accounts/credits.ts';
import { listCustody } from '../../../src/app/custody/custody.ts';
import {
  cancelClassification,
  deleteClassification,
  listClassifications,
  openClassification,
  retryClassification,
} from '../../../src/app/records/classifications.ts';
import { submitMedia } from '../../../src/app/submissions/submit.ts';
import { receiveMedia } from '../../../src/app/submissions/uploads.ts';
import type { Life } from '../life.ts';
import type { Action, ActionParts } from './action.ts';
import type { AcceptedRecord, OpenRequest } from './book.ts';

/** Different files that a history submits. */
export const CONTENTS = 8;
const RECEIVERS = ['https://192.0.2.10/hook', 'https://192.0.2.20/hook'];
const NEVER = new AbortController().signal;
const PNG_HEAD = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

export function contentOf(content: number): Buffer {
  return Buffer.concat([PNG_HEAD, createHash('sha256').update(`content ${content}`).digest()]);
}

export const ACTIONS: readonly Action[] = [
  { name: 'submit', weight: 10, run: submitSomething },
  { name: 'ask again', weight: 3, run: askAgain },
  { name: 'list', weight: 2, run: async ({ life, accountId }) => void listAll(life, accountId) },
  {
    name: 'look',
    weight: 2,
    run: onRecord((life, principal, identifier) => openClassification(life.app, { principal, identifier })),
  },
  {
    name: 'custody',
    weight: 2,
    run: onRecord((life, principal, identifier) =>
      listCustody(life.app, { principal, identifier, limit: 5 }),
    ),
  },
  { name: 'audit', weight: 1, run: async ({ life }) => void life.app.store.read.audit({ limit: 1 }) },
  {
    name: 'ledger',
    weight: 1,
    run: async ({ life, accountId }) =>
      void listLedger(life.app, { principal: life.principalOf(accountId), limit: 10 }),
  },
  { name: 'cancel', weight: 1, run: cancelSomething },
  { name: 'delete', weight: 1, run: deleteSomething },
  {
    name: 'retry',
    weight: 1,
    run: onRecord((life, principal, identifier) => retryClassification(life.app, { principal, identifier })),
  },
];

function listAll(life: Life, accountId: number): void {
  listClassifications(life.app, { principal: life.principalOf(accountId), limit: 10, kind: 'image' });
}

async function submitSomething({ random, ...parts }: ActionParts): Promise<void> {
  const hasRequest = random.chance(0.5);
  const request: OpenRequest = {
    accountId: parts.accountId,
    content: random.whole(0, CONTENTS - 1),
    requestId: hasRequest ? `request-${random.whole(0, 1e9)}` : '',
    webhookUrl: random.chance(0.4) ? random.pick(RECEIVERS) : null,
  };
  if (hasRequest) parts.book.unanswered.set(request.requestId, request);
  await submit({ random, ...parts }, request);
}

/** Asks again, as a client does whose answer was lost. */
async function askAgain(parts: ActionParts): Promise<void> {
  const open = [...parts.book.unanswered.values()];
  if (open.length > 0) await submit(parts, parts.random.pick(open));
}

async function submit(parts: ActionParts, request: OpenRequest): Promise<void> {
  const { life, book, random, isAlive } = parts;
  const { accountId, content, requestId, webhookUrl } = request;
  const principal = life.principalOf(accountId);
  const bytes = (async function* () {
    yield contentOf(content);
  })();
  await using media = await receiveMedia(
    life.app,
    { principal, field: 'image', name: 'a.png', bytes },
    NEVER,
  );
  const fields = {
    ...(requestId === '' ? {} : { request_id: requestId }),
    ...(webhookUrl === null ? {} : { webhook_url: webhookUrl }),
    priority: random.chance(0.3) ? 'batch' : 'interactive',
  };
  const input = { principal, facade: 'rest', kind: 'image', field: 'image', media, fields } as const;
  const { identifier } = await submitMedia(life.app, input, NEVER);
  if (!isAlive()) return;
  const flags = { mayBeCancelled: false, mayBeDeleted: false, isDeleted: false };
  book.accept({ identifier, accountId, webhookUrl, requestId: requestId || null, ...flags });
}

type OnRecord = (life: Life, principal: ReturnType<Life['principalOf']>, identifier: string) => unknown;

function onRecord(call: OnRecord): Action['run'] {
  return async (parts) => {
    const record = someRecord(parts);
    if (record !== undefined)
      await call(parts.life, parts.life.principalOf(record.accountId), record.identifier);
  };
}

async function cancelSomething(parts: ActionParts): Promise<void> {
  const record = someRecord(parts);
  if (record === undefined) return;
  record.mayBeCancelled = true;
  const principal = parts.life.principalOf(record.accountId);
  await cancelClassification(parts.life.app, { principal, identifier: record.identifier });
}

async function deleteSomething(parts: ActionParts): Promise<void> {
  const record = someRecord(parts);
  if (record === undefined) return;
  record.mayBeDeleted = true;
  const principal = parts.life.principalOf(record.accountId);
  await deleteClassification(parts.life.app, { principal, identifier: record.identifier });
  if (parts.isAlive()) record.isDeleted = true;
}

function someRecord({ book, random }: ActionParts): AcceptedRecord | undefined {
  const records = [...book.accepted.values()].filter(({ mayBeDeleted }) => !mayBeDeleted);
  return records.length === 0 ? undefined : random.pick(records);
}

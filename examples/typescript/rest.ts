/**
 * Submits a file by REST and asks for its record until it has ended: `node rest.ts FILE [image|video|audio]`.
 * Nothing but Node 24. REST has no live channel; `graphql.ts` and `grpc.ts` beside this file follow without asking.
 */
import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';

const url = process.env.ASSAY_URL ?? 'http://127.0.0.1:8480';
const headers = { 'x-api-key': process.env.ASSAY_API_KEY ?? '', accept: 'application/json' };
const POLL_MS = 500;

interface Verdict {
  classification: string;
  confidence: number;
}

interface ImageRecord {
  status: 'new' | 'done' | 'errored';
  errors: string;
  verdict?: Verdict;
}

/** A refusal is JSON that names the field at fault; 429 and 503 say in Retry-After when to come again. */
async function call<Answer>(path: string, init: RequestInit = {}): Promise<Answer> {
  for (;;) {
    const response = await fetch(`${url}${path}`, { ...init, headers });
    if (response.ok) return (await response.json()) as Answer;
    const seconds = Number(response.headers.get('retry-after'));
    if (seconds === 0) throw new Error(`${response.status}: ${await response.text()}`);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}

const [path, kind = 'image'] = process.argv.slice(2);
if (path === undefined) throw new Error('which file? node rest.ts FILE [image|video|audio]');
const form = new FormData();
form.set(kind, await openAsBlob(path), basename(path));
const resource = `/api/classification_${kind}`;
const { identifier } = await call<{ identifier: string }>(resource, { method: 'POST', body: form });

let record = await call<ImageRecord>(`${resource}/${identifier}`);
while (record.status === 'new') {
  console.log('still at work');
  await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  record = await call<ImageRecord>(`${resource}/${identifier}`);
}
if (record.verdict === undefined) throw new Error(record.errors);
const { classification, confidence } = record.verdict;
console.log(`${basename(path)}: ${classification}, ${confidence}`);

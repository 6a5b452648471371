/**
 * Submits a file by GraphQL and follows it over a WebSocket: `node graphql.ts FILE`.
 * Needs Node 24, which has a WebSocket, and `npm install graphql graphql-ws`.
 */
import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { createClient } from 'graphql-ws';

const url = `${process.env.ASSAY_URL ?? 'http://127.0.0.1:8480'}/graphql`;
const headers = { 'x-api-key': process.env.ASSAY_API_KEY ?? '' };

const SUBMIT = `mutation ($file: Upload!) {
  submitMedia(input: { file: $file }) { classification { identifier } userErrors { field message } }
}`;
const FOLLOW = `subscription ($identifier: ID!) {
  classification(identifier: $identifier) {
    status errors progress { step } verdict { classification confidence } assessment { state }
  }
}`;

interface Followed {
  classification: {
    status: 'NEW' | 'DONE' | 'ERRORED';
    errors: string;
    progress: { step: string } | null;
    verdict: { classification: string; confidence: number } | null;
    assessment: { state: string } | null;
  };
}

/** As the GraphQL multipart request specification has it: the operation, where its files go, the files. */
async function submit(path: string): Promise<string> {
  const form = new FormData();
  form.set('operations', JSON.stringify({ query: SUBMIT, variables: { file: null } }));
  form.set('map', JSON.stringify({ 0: ['variables.file'] }));
  form.set('0', await openAsBlob(path), basename(path));
  const answer = await (await fetch(url, { method: 'POST', headers, body: form })).text();
  const identifier: unknown = JSON.parse(answer).data?.submitMedia.classification?.identifier;
  if (typeof identifier !== 'string') throw new Error(answer);
  return identifier;
}

const path = process.argv[2];
if (path === undefined) throw new Error('which file? node graphql.ts FILE');
const client = createClient({ url: url.replace(/^http/, 'ws'), connectionParams: headers });
const variables = { identifier: await submit(path) };
for await (const { data, errors } of client.iterate<Followed>({ query: FOLLOW, variables })) {
  if (!data) throw new Error(JSON.stringify(errors));
  const { status, progress, verdict, assessment, ...record } = data.classification;
  if (status === 'NEW') console.log(progress?.step ?? 'accepted');
  if (status === 'ERRORED') throw new Error(record.errors);
  if (verdict === null) continue;
  console.log(`${basename(path)}: ${verdict.classification}, ${verdict.confidence}, ${assessment?.state}`);
}
await client.dispose();

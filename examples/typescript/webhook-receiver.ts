/**
 * Submits a file, is told of its end by webhook and checks the signature: `node webhook-receiver.ts FILE`.
 * Needs `npm install standardwebhooks`, the account's secret (`assay webhook secret`) and a plan that enables webhooks.
 * A receiver in a private network must be allowed by the operator: `webhook.allow_networks`.
 */
import { openAsBlob } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

const url = process.env.ASSAY_URL ?? 'http://127.0.0.1:8480';
const headers = { 'x-api-key': process.env.ASSAY_API_KEY ?? '' };
const webhook = new Webhook(process.env.ASSAY_WEBHOOK_SECRET ?? '');
/** A repeated delivery has the identifier of the first: a receiver that acts on it does so once. */
const seen = new Set<string>();

interface Told {
  errors: string;
  verdict?: { classification: string; confidence: number };
}

/** Null where the body is not what was signed, or was signed more than five minutes ago. */
function verify(body: string, sent: IncomingHttpHeaders): Told | null {
  try {
    return webhook.verify(body, sent as Record<string, string>) as Told;
  } catch {
    return null;
  }
}

const path = process.argv[2];
if (path === undefined) throw new Error('which file? node webhook-receiver.ts FILE');

const server = createServer(async (request, response) => {
  const told = verify(await text(request), request.headers);
  // Answered at once: a receiver that does its work first is soon sent the same again.
  response.writeHead(told === null ? 401 : 204).end();
  const delivery = String(request.headers['webhook-id']);
  if (told === null || seen.has(delivery)) return;
  seen.add(delivery);
  const { verdict, errors } = told;
  console.log(`${basename(path)}: ${verdict?.classification ?? errors}, ${verdict?.confidence}`);
  server.close();
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

const form = new FormData();
form.set('image', await openAsBlob(path), basename(path));
form.set('webhook_url', `http://127.0.0.1:${(server.address() as AddressInfo).port}/assay`);
// What is answered from the cache is not told by webhook.
form.set('no_cache', 'true');
const response = await fetch(`${url}/api/classification`, { method: 'POST', headers, body: form });
if (!response.ok) throw new Error(await response.text());
console.log('submitted');

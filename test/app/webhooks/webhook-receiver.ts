/** A real HTTP receiver of webhooks on loopback: keeps what it was sent, answers as a test asks it to. */
import { equal, ok } from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../../faults/rounds/submissions.ts';

export interface ReceivedHook {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  at: number;
}

export interface HookAnswer {
  status: number;
  headers?: Record<string, string>;
  /** Sends no answer. */
  isSilent?: boolean;
}

export interface Receiver extends AsyncDisposable {
  origin: string;
  hooks: ReceivedHook[];
  /** Answers to the next calls; the last one stays. */
  answers: HookAnswer[];
  waitFor(count: number, timeoutMs?: number): Promise<void>;
}

export async function openReceiver(...answers: HookAnswer[]): Promise<Receiver> {
  const hooks: ReceivedHook[] = [];
  const script = [...answers];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      hooks.push({ path: request.url ?? '', headers: request.headers, body, at: performance.now() });
      const { status, headers, isSilent } = (script.length > 1 ? script.shift() : script[0]) ?? {
        status: 200,
      };
      if (isSilent !== true) response.writeHead(status, headers).end('thanks');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    hooks,
    answers: script,
    waitFor: (count, timeoutMs) => until(() => hooks.length >= count, `${count} webhooks`, timeoutMs),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const SIGNATURE_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
/** Seconds by which a message's time may differ from the receiver's. */
const TOLERANCE_SECONDS = 300;

/** Verifies as the specification asks of receivers, without the library that signs. Throws if the message is not what was signed. */
export function verifyHook(
  secret: string,
  { headers, body }: Pick<ReceivedHook, 'headers' | 'body'>,
): unknown {
  const [id, timestamp, signature] = SIGNATURE_HEADERS.map((name) => headers[name]);
  ok(Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS, String(timestamp));
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const code = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  equal(signature, `v1,${code}`);
  return JSON.parse(body);
}

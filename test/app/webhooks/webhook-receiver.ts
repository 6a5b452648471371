/** A real HTTP receiver of webhooks on loopback: keeps what it was sent, answers as a test tells it. */
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
  /** Leaves the sender without an answer. */
  isSilent?: boolean;
}

export interface Receiver extends AsyncDisposable {
  origin: string;
  hooks: ReceivedHook[];
  /** For the calls to come; the last one stays. */
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

/** The headers that a Standard Webhooks library reads. */
export function signedHeaders({ headers }: ReceivedHook): Record<string, string> {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  return Object.fromEntries(names.map((name) => [name, String(headers[name])]));
}

/**
 * The least that could stand in Assay's place, in a process of its own: answers every GET with the same bytes from
 * memory; writes every other body to a file, hashes it and answers with the hash.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer } from './rest-client.ts';

/** PEM. */
export interface Certificate {
  cert: string;
  key: string;
}

interface Task {
  answer: Answer;
  certificate: Certificate | null;
}

export class BareServer implements Disposable {
  readonly origin: string;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(child: ChildProcess, folder: string, origin: string) {
    this.#child = child;
    this.#folder = folder;
    this.origin = origin;
  }

  /** Serves over TLS 1.3 if a certificate is given, as Assay does. */
  static async start(
    answer: Answer = { headers: {}, body: '' },
    certificate: Certificate | null = null,
  ): Promise<BareServer> {
    const folder = mkdtempSync(join(tmpdir(), 'assay-bench-'));
    const child = fork(import.meta.filename, [folder]);
    child.send({ answer, certificate } satisfies Task);
    const [port] = await once(child, 'message');
    const scheme = certificate === null ? 'http' : 'https';
    return new BareServer(child, folder, `${scheme}://127.0.0.1:${port}`);
  }

  /** Zero if it did not start. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  [Symbol.dispose](): void {
    this.#child.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function serve({ answer: { headers, body }, certificate }: Task, folder: string): void {
  const bytes = Buffer.from(body);
  const { date: _date, connection: _connection, 'keep-alive': _keepAlive, ...rest } = headers;
  const head = { ...rest, 'content-length': bytes.length };
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    if (request.method === 'GET') response.writeHead(200, head).end(bytes);
    else store(request, join(folder, 'upload')).then((hash) => response.end(hash));
  };
  const server =
    certificate === null
      ? createServer(answer)
      : createTlsServer({ ...certificate, minVersion: 'TLSv1.3' }, answer);
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

async function store(request: IncomingMessage, path: string): Promise<string> {
  await using file = await open(path, 'w');
  const hash = createHash('sha256');
  for await (const bytes of request as AsyncIterable<Buffer>) {
    hash.update(bytes);
    await file.write(bytes);
  }
  return hash.digest('hex');
}

if (import.meta.main) process.once('message', (task: Task) => serve(task, process.argv[2] ?? tmpdir()));

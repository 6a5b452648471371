/** Gives workers a job's original by ranges, takes answers and files. Without a token of a lease all get the same answer. */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Logger } from 'pino';
import { toAppError } from '../domain/errors.ts';
import { TLS_VERSION_MIN, type TlsFiles } from '../machinery/tls.ts';
import { parseRange } from './ranges.ts';

export interface JobMedia {
  original(token: string): Promise<{ path: string; hash: string; signal: AbortSignal } | undefined>;
  /** False if the token opens nothing. */
  keep(token: string, name: string, body: Readable, freeBytesMin: number): Promise<boolean>;
  /** Takes what the worker's children answered; otherwise like `keep`. */
  answer(token: string, body: Readable): Promise<boolean>;
}

export interface WorkerMediaConfig {
  host: string;
  port: number;
  diskFreeBytesMin: number;
  tls: TlsFiles | null;
}

/** A plain, visible file name, as decode children choose them. */
const FILE = /^\/files\/([A-Za-z0-9][A-Za-z0-9.-]{0,127})$/;
const ORIGINAL = '/original';
const ANSWERS = '/answers';
const BEARER = /^Bearer ([0-9a-f]{64})$/;
/** Some hundred workers with some places each. */
const CONNECTIONS_MAX = 2000;
/** A worker that stalls longer loses its lease anyway. */
const SILENCE_MS_MAX = 60_000;

export class WorkerMedia implements AsyncDisposable {
  readonly #server: ReturnType<typeof createServer>;
  readonly #media: JobMedia;
  readonly #config: WorkerMediaConfig;
  readonly #log: Logger;

  private constructor(config: WorkerMediaConfig, media: JobMedia, log: Logger) {
    this.#config = config;
    this.#media = media;
    this.#log = log;
    const answer = (request: IncomingMessage, response: ServerResponse) =>
      void this.#answer(request, response);
    const { tls } = config;
    if (tls === null) this.#server = createServer(answer);
    else {
      const toOptions = () => {
        const { cert, key } = tls.material;
        return { cert, key, minVersion: TLS_VERSION_MIN } as const;
      };
      const server = createTlsServer(toOptions(), answer);
      tls.onChange(() => server.setSecureContext(toOptions()));
      this.#server = server;
    }
    this.#server.maxConnections = CONNECTIONS_MAX;
    this.#server.requestTimeout = 0;
    this.#server.setTimeout(SILENCE_MS_MAX);
  }

  static async open(config: WorkerMediaConfig, media: JobMedia, log: Logger): Promise<WorkerMedia> {
    const listener = new WorkerMedia(config, media, log);
    listener.#server.listen(config.port, config.host);
    await once(listener.#server, 'listening');
    return listener;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  /** Never rejects. */
  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const token = BEARER.exec(request.headers.authorization ?? '')?.[1];
      const name = FILE.exec(request.url ?? '')?.[1];
      if (token !== undefined && request.method === 'GET' && request.url === ORIGINAL) {
        return await this.#send(token, request, response);
      }
      if (token !== undefined && request.method === 'PUT' && name !== undefined) {
        const isKept = await this.#media.keep(token, name, request, this.#config.diskFreeBytesMin);
        return end(response, isKept ? 204 : 403);
      }
      if (token !== undefined && request.method === 'POST' && request.url === ANSWERS) {
        return end(response, (await this.#media.answer(token, request)) ? 204 : 403);
      }
      end(response, 403);
    } catch (error) {
      const known = toAppError(error);
      this.#log.debug({ err: error }, 'a file of a worker');
      if (response.headersSent) response.destroy();
      else end(response, known.reason === 'too_large' ? 413 : known.reason === 'disk_full' ? 507 : 500);
    }
  }

  async #send(token: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const found = await this.#media.original(token);
    if (found === undefined) return end(response, 403);
    const { path, hash, signal } = found;
    const { size: sizeBytes } = await stat(path);
    const etag = `"${hash}"`;
    const range = parseRange(request.headers.range, { sizeBytes, etag, ifRange: undefined });
    if (range === 'unsatisfiable') return end(response, 416);
    const { first, last } = range ?? { first: 0, last: sizeBytes - 1 };
    response.writeHead(range === undefined ? 200 : 206, {
      'content-type': 'application/octet-stream',
      'content-length': last - first + 1,
      etag,
      ...(range === undefined ? {} : { 'content-range': `bytes ${first}-${last}/${sizeBytes}` }),
    });
    await pipeline(createReadStream(path, { start: first, end: last }), response, { signal });
  }
}

/** Does not wait for the rest of the body. */
function end(response: ServerResponse, status: number): void {
  response.writeHead(status, status === 204 ? {} : { connection: 'close' }).end();
}

/** A job's original, fetched by ranges into a folder of its own, and a way to send back files and answers. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, type Dispatcher, request } from 'undici';
import type { AnalysisFiles } from '../analyses/analysis-parts.ts';
import { ExecutorLostError, MediaFaultError } from '../children/worker-errors.ts';
import type { Note } from '../executors/noted-children.ts';
import { floatsToText } from './child-answers.ts';
import { deflated, type Grant } from './messages.ts';

/** A broken-off request is repeated from its range. */
const RANGE_BYTES = 64 * 1024 ** 2;
const TRIES_MAX = 5;
const RETRY_PAUSE_MS = 500;
/** Longest silence of a connection. */
const SILENCE_MS_MAX = 30_000;
const NAME = 'original';

/** A longer batch of notes is sent; the longest note has two million characters. */
const BATCH_CHARACTERS_MIN = 4_000_000;

type RequestOptions = Pick<Dispatcher.RequestOptions, 'method' | 'body'> & {
  headers: Record<string, string>;
};

export class JobFiles implements AnalysisFiles, AsyncDisposable {
  readonly #grant: Grant;
  readonly #path: string;
  readonly #signal: AbortSignal;
  readonly #agent: Agent;
  /** Notes that wait to be sent, each as JSON. */
  readonly #unsent: string[] = [];
  #sent = 0;
  #sending: Promise<void> | null = null;

  private constructor(grant: Grant, folder: string, signal: AbortSignal) {
    this.#grant = grant;
    this.#path = join(folder, NAME);
    this.#signal = signal;
    const pinned = { allowPartialTrustChain: true, checkServerIdentity: () => undefined };
    const { certificatePem: ca } = grant;
    this.#agent = new Agent({
      headersTimeout: SILENCE_MS_MAX,
      bodyTimeout: SILENCE_MS_MAX,
      ...(ca === null ? {} : { connect: { ca, ...pinned } }),
    });
  }

  /** Fetches the original. Throws ExecutorLostError if the listener does not give it. */
  static async open(grant: Grant, folder: string, signal: AbortSignal): Promise<JobFiles> {
    const files = new JobFiles(grant, folder, signal);
    try {
      await files.#fetch();
      return files;
    } catch (error) {
      await files[Symbol.asyncDispose]();
      throw error;
    }
  }

  readonly blobs: AnalysisFiles['blobs'] = {
    pathOf: () => this.#path,
    checks: { read: (_hash, { path = this.#path, signal } = {}) => this.#read(path, signal) },
  };

  readonly artifacts: AnalysisFiles['artifacts'] = {
    put: async (_analysisId, name, source) => {
      await this.#deliver(`/files/${name}`, () => ({
        method: 'PUT',
        headers: { 'content-length': String(source.sizeBytes) },
        body: Readable.from(source.chunks()),
      }));
    },
  };

  /** Sent together with the notes that come meanwhile. */
  note(note: Note): void {
    this.#unsent.push(JSON.stringify(note, floatsToText));
    if (this.#sending !== null) return;
    this.#sending = this.#send();
    // Its fault is met in `noted`.
    this.#sending.catch(() => {});
  }

  /** Resolves once all notes have arrived. */
  async noted(): Promise<void> {
    await this.#sending;
  }

  async #send(): Promise<void> {
    for (let notes = this.#takeBatch(); notes.length > 0; notes = this.#takeBatch()) {
      const body = await deflated(`{"from":${this.#sent},"notes":[${notes.join()}]}`);
      await this.#deliver('/answers', () => ({ method: 'POST', headers: {}, body }));
      this.#sent += notes.length;
    }
    this.#sending = null;
  }

  #takeBatch(): string[] {
    const notes: string[] = [];
    for (let length = 0; length < BATCH_CHARACTERS_MIN && this.#unsent.length > 0; ) {
      const [note = ''] = this.#unsent.splice(0, 1);
      length += note.length;
      notes.push(note);
    }
    return notes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }

  async #fetch(): Promise<void> {
    await using file = await open(this.#path, 'wx', 0o600);
    const found = createHash('sha256');
    let at = 0;
    for (let sizeBytes = Number.POSITIVE_INFINITY; at < sizeBytes; ) {
      await this.#tryAgain(async () => {
        const headers = { range: `bytes=${at}-${at + RANGE_BYTES - 1}` };
        const {
          statusCode,
          headers: said,
          body,
        } = await this.#request('/original', { method: 'GET', headers });
        if (statusCode !== 206) {
          await body.dump();
          throw refused(statusCode);
        }
        sizeBytes = Number(/\/(\d+)$/.exec(String(said['content-range']))?.[1] ?? Number.NaN);
        if (!Number.isSafeInteger(sizeBytes)) throw new ExecutorLostError('the listener names no size');
        for await (const piece of body as AsyncIterable<Buffer>) {
          await file.write(piece, 0, piece.length, at);
          found.update(piece);
          at += piece.length;
        }
      });
    }
    if (found.digest('hex') !== this.#grant.analysis.hash) {
      throw new ExecutorLostError('the file that came is not the one that was submitted');
    }
  }

  /** Hashed when it came; a decode child gets a link or a copy, behind the same walls as on the daemon's box. */
  async *#read(path: string, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
    const found = createHash('sha256');
    for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
      signal?.throwIfAborted();
      found.update(piece);
      yield piece;
    }
    if (found.digest('hex') === this.#grant.analysis.hash) return;
    throw new MediaFaultError('corrupt', 'the file changed while it was analysed');
  }

  async #deliver(path: string, options: () => RequestOptions): Promise<void> {
    await this.#tryAgain(async () => {
      const { statusCode, body } = await this.#request(path, options());
      await body.dump();
      if (statusCode !== 204) throw refused(statusCode);
    });
  }

  async #request(path: string, options: RequestOptions): Promise<Dispatcher.ResponseData> {
    const headers = { ...options.headers, authorization: `Bearer ${this.#grant.token}` };
    const url = new URL(path, this.#grant.mediaUrl);
    return await request(url, { ...options, headers, dispatcher: this.#agent, signal: this.#signal });
  }

  async #tryAgain(work: () => Promise<void>): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await work();
      } catch (error) {
        if (error instanceof ExecutorLostError || this.#signal.aborted) throw error;
        // The connection to the daemon or this box is at fault, not the file.
        if (tries >= TRIES_MAX)
          throw new ExecutorLostError(`the listener for media: ${error}`, { cause: error });
        await delay(RETRY_PAUSE_MS * tries, undefined, { signal: this.#signal });
      }
    }
  }
}

function refused(statusCode: number): ExecutorLostError {
  return new ExecutorLostError(`the listener for media answered ${statusCode}`);
}

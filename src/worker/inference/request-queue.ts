/** Requests that wait for one pack, and batches cut from them: items of several requests fill a batch together. */
import type { InferenceResponse, PackRequest } from '../protocol/inference-protocol.ts';
import { type ItemSource, openSource } from './item-source.ts';
import type { PackSession } from './pack-session.ts';

interface Waiting {
  readonly id: number;
  readonly arrivedAt: number;
  /** Open as long as it waits. */
  readonly source?: Disposable;
}

interface Session {
  readonly pack: { readonly key: string };
  release(): Promise<void>;
}

export abstract class WorkQueue<W extends Waiting = Waiting, S extends Session = Session> {
  protected readonly session: S;
  protected readonly waiting: W[] = [];

  constructor(session: S) {
    this.session = session;
  }

  get key(): string {
    return this.session.pack.key;
  }

  /** Throws if the request does not fit this pack or its file. */
  abstract add(request: PackRequest, now: number): void;

  /** Runs one batch; returns the responses that follow. Never rejects. */
  abstract runBatch(): Promise<InferenceResponse[]>;

  /** When the next batch may run; infinite if nothing waits. At once, unless a batch is filled by several requests. */
  ripeAt(_batchWaitMs: number): number {
    return this.waiting[0]?.arrivedAt ?? Number.POSITIVE_INFINITY;
  }

  /** Ends one request, if it waits here. Not to be called during a batch. */
  drop(id: number, message: string): InferenceResponse[] {
    return this.fail(
      this.waiting.filter((request) => request.id === id),
      message,
    );
  }

  /** Ends every request, for a pack that is replaced or out of service. */
  clear(message: string): InferenceResponse[] {
    return this.fail([...this.waiting], message);
  }

  async release(): Promise<void> {
    await this.session.release();
  }

  protected fail(requests: readonly W[], error: unknown): InferenceResponse[] {
    this.remove(requests);
    return requests.map(({ id }) => toFailed(id, error));
  }

  protected remove(requests: readonly W[]): void {
    for (const request of requests) {
      request.source?.[Symbol.dispose]();
      this.waiting.splice(this.waiting.indexOf(request), 1);
    }
  }
}

interface WaitingRequest extends Waiting {
  readonly source: ItemSource;
  readonly count: number;
  readonly logits: Float32Array;
  done: number;
  /** Time from its arrival to its first batch. */
  waitedMs: number;
  /** Its share of the model's run time. */
  busyMs: number;
  batches: number;
}

interface Share {
  request: WaitingRequest;
  count: number;
}

export class RequestQueue extends WorkQueue<WaitingRequest, PackSession> {
  add(request: PackRequest, now: number): void {
    if (request.type !== 'infer') throw new Error(`the model ${this.key} takes patches and windows only`);
    const { id, count } = request;
    const source = openSource(this.session.pack.input, request);
    const logits = new Float32Array(count * this.session.pack.outputLength);
    this.waiting.push({
      id,
      source,
      count,
      arrivedAt: now,
      logits,
      done: 0,
      waitedMs: 0,
      busyMs: 0,
      batches: 0,
    });
  }

  /** At once when a batch is full, else when the oldest request has waited long enough. */
  override ripeAt(batchWaitMs: number): number {
    const [oldest] = this.waiting;
    if (oldest === undefined) return Number.POSITIVE_INFINITY;
    const items = this.waiting.reduce((sum, { count, done }) => sum + count - done, 0);
    return items >= this.session.batchMax ? oldest.arrivedAt : oldest.arrivedAt + batchWaitMs;
  }

  /** An error drops every request of the batch. */
  async runBatch(): Promise<InferenceResponse[]> {
    const shares = this.#takeShares();
    try {
      await this.#run(shares);
    } catch (error) {
      return this.fail(
        shares.map(({ request }) => request),
        error,
      );
    }
    const completed = shares.map(({ request }) => request).filter(({ done, count }) => done === count);
    this.remove(completed);
    return completed.map(({ id, logits, waitedMs, busyMs, batches }) => ({
      type: 'inferred',
      id,
      logits,
      elapsedMs: busyMs,
      waitedMs,
      batches,
    }));
  }

  #takeShares(): Share[] {
    const shares: Share[] = [];
    let free = this.session.batchMax;
    for (const request of this.waiting) {
      if (free === 0) break;
      const count = Math.min(free, request.count - request.done);
      shares.push({ request, count });
      free -= count;
    }
    return shares;
  }

  async #run(shares: Share[]): Promise<void> {
    let filled = 0;
    const now = performance.now();
    for (const { request, count } of shares) {
      if (request.done === 0) request.waitedMs = now - request.arrivedAt;
      request.source.write(request.done, count, this.session.place(filled));
      filled += count;
    }
    const startedAt = performance.now();
    const logits = await this.session.run(filled);
    const elapsedMs = performance.now() - startedAt;
    const { outputLength } = this.session.pack;
    let taken = 0;
    for (const { request, count } of shares) {
      const values = logits.subarray(taken * outputLength, (taken + count) * outputLength);
      request.logits.set(values, request.done * outputLength);
      taken += count;
      request.done += count;
      request.batches += 1;
      request.busyMs += (elapsedMs * count) / filled;
    }
  }
}

export function toFailed(id: number, error: unknown): InferenceResponse {
  const message = error instanceof Error ? error.message : String(error);
  return { type: 'failed', id, message: message.slice(0, 500) };
}

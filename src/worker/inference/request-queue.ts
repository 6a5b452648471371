/**
 * The requests that wait for one pack, and the batches cut from them: patches of several requests fill a batch
 * together, in the order in which they came.
 */
import type { InferRequest } from '../protocol.ts';
import type { PackSession } from './pack-session.ts';
import { PatchFile } from './patch-file.ts';

export interface WaitingRequest {
  readonly id: number;
  readonly file: PatchFile;
  readonly count: number;
  readonly arrivedAt: number;
  readonly logits: Float32Array;
  /** Patches that were answered. */
  done: number;
  /** Its share of the time that the model ran. */
  busyMs: number;
  batches: number;
}

interface Share {
  request: WaitingRequest;
  count: number;
}

export class RequestQueue {
  readonly session: PackSession;
  readonly #waiting: WaitingRequest[] = [];
  readonly #bytes: Uint8Array;

  constructor(session: PackSession) {
    this.session = session;
    this.#bytes = new Uint8Array(session.batchMax * session.pack.input.size ** 2 * 3);
  }

  /** Throws where the patch file is not what the request says. */
  add({ id, path, count }: InferRequest, now: number): void {
    const file = PatchFile.open(path, count, this.session.pack.input.size);
    const logits = new Float32Array(count);
    this.#waiting.push({ id, file, count, arrivedAt: now, logits, done: 0, busyMs: 0, batches: 0 });
  }

  /** When the next batch may run: at once when it is full, else when the oldest request has waited long enough. */
  ripeAt(batchWaitMs: number): number {
    const [oldest] = this.#waiting;
    if (oldest === undefined) return Number.POSITIVE_INFINITY;
    const patches = this.#waiting.reduce((sum, { count, done }) => sum + count - done, 0);
    return patches >= this.session.batchMax ? oldest.arrivedAt : oldest.arrivedAt + batchWaitMs;
  }

  /** Runs one batch; returns the requests it completed. On an error every request of the batch is dropped with it. */
  async runBatch(): Promise<{ completed: WaitingRequest[]; failed: WaitingRequest[]; error: unknown }> {
    const shares = this.#takeShares();
    try {
      await this.#run(shares);
    } catch (error) {
      const failed = shares.map(({ request }) => request);
      this.#remove(failed);
      return { completed: [], failed, error };
    }
    const completed = shares.map(({ request }) => request).filter(({ done, count }) => done === count);
    this.#remove(completed);
    return { completed, failed: [], error: undefined };
  }

  /** Ends every request, for a pack that is replaced or out of service. */
  clear(): WaitingRequest[] {
    const dropped = [...this.#waiting];
    this.#remove(dropped);
    return dropped;
  }

  #takeShares(): Share[] {
    const shares: Share[] = [];
    let free = this.session.batchMax;
    for (const request of this.#waiting) {
      if (free === 0) break;
      const count = Math.min(free, request.count - request.done);
      shares.push({ request, count });
      free -= count;
    }
    return shares;
  }

  async #run(shares: Share[]): Promise<void> {
    let filled = 0;
    for (const { request, count } of shares) {
      this.session.fill(request.file.read(request.done, count, this.#bytes), filled);
      filled += count;
    }
    const startedAt = performance.now();
    const logits = await this.session.run(filled);
    const elapsedMs = performance.now() - startedAt;
    let taken = 0;
    for (const { request, count } of shares) {
      request.logits.set(logits.subarray(taken, taken + count), request.done);
      taken += count;
      request.done += count;
      request.batches += 1;
      request.busyMs += (elapsedMs * count) / filled;
    }
  }

  #remove(requests: WaitingRequest[]): void {
    for (const request of requests) {
      request.file[Symbol.dispose]();
      this.#waiting.splice(this.#waiting.indexOf(request), 1);
    }
  }
}

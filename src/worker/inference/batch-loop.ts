/**
 * Decides which pack runs next. One batch per turn of the event loop, packs by turns, so that a heatmap of a
 * thousand patches delays another model's verdict by one batch and new requests are read between batches.
 */
import type { DetectRequest, InferenceResponse, InferRequest, PackReport } from '../inference-protocol.ts';
import { type BroughtUp, bringUp, type LoadRequest } from './bring-up.ts';
import { toFailed, type WorkQueue } from './request-queue.ts';

export class BatchLoop {
  readonly #send: (response: InferenceResponse) => void;
  #queues: WorkQueue[] = [];
  /** By everything that decides how a pack runs. */
  #inService = new Map<string, BroughtUp>();
  #batchWaitMs = 0;
  /** A turn is due or under way. */
  #isTurning = false;
  /** The last turn: a session must not be released under a batch. */
  #turnEnd: Promise<void> = Promise.resolve();
  #wakeAt: NodeJS.Timeout | undefined;

  constructor(send: (response: InferenceResponse) => void) {
    this.#send = send;
  }

  /** Packs that are the same as before go on; what waits for one that is gone fails and is asked again. */
  async load(request: LoadRequest): Promise<PackReport[]> {
    const { packs, providers, halfProviders, threads, batchMax } = request;
    const broughtUp = new Map<string, BroughtUp>();
    for (const pack of packs) {
      const key = JSON.stringify([pack, providers, halfProviders, threads, batchMax]);
      const before = this.#inService.get(key);
      broughtUp.set(key, before?.queue ? before : await bringUp(pack, request));
    }
    await this.#turnEnd;
    this.#inService = broughtUp;
    const queues = [...broughtUp.values()].flatMap(({ queue }) => queue ?? []);
    const gone = this.#queues.filter((queue) => !queues.includes(queue));
    this.#queues = queues;
    this.#batchWaitMs = request.batchWaitMs;
    for (const queue of gone) {
      this.#sendAll(queue.clear('the model was replaced while the request waited'));
      await queue.release();
    }
    // Kept requests may have become ripe while the new packs were brought up.
    this.#wake(0);
    return [...broughtUp.values()].map(({ report }) => report);
  }

  add(request: InferRequest | DetectRequest): void {
    const queue = this.#queues.find(({ key }) => key === request.pack);
    try {
      if (queue === undefined) throw new Error(`the model ${request.pack} is not in service`);
      queue.add(request, performance.now());
    } catch (error) {
      this.#send(toFailed(request.id, error));
      return;
    }
    this.#wake(0);
  }

  /** Drops what is left of a request; of one that was answered nothing is left. */
  async cancel(id: number): Promise<void> {
    // A batch under way holds its requests; the next turn begins after this one's promises.
    await this.#turnEnd;
    for (const queue of this.#queues) this.#sendAll(queue.drop(id, 'the request was called off'));
  }

  #wake(delayMs: number): void {
    if (this.#isTurning) return;
    clearTimeout(this.#wakeAt);
    if (delayMs > 0) {
      this.#wakeAt = setTimeout(() => this.#wake(0), delayMs);
      return;
    }
    this.#isTurning = true;
    setImmediate(() => {
      this.#turnEnd = this.#turn();
    });
  }

  async #turn(): Promise<void> {
    const now = performance.now();
    const queue = this.#queues.find((candidate) => candidate.ripeAt(this.#batchWaitMs) <= now);
    if (queue !== undefined) {
      this.#queues = [...this.#queues.filter((other) => other !== queue), queue];
      this.#sendAll(await queue.runBatch());
    }
    this.#isTurning = false;
    const next = Math.min(...this.#queues.map((candidate) => candidate.ripeAt(this.#batchWaitMs)));
    if (Number.isFinite(next)) this.#wake(Math.max(0, Math.ceil(next - performance.now())));
  }

  #sendAll(responses: InferenceResponse[]): void {
    for (const response of responses) this.#send(response);
  }
}

/**
 * Decides which pack runs next. One batch per turn of the event loop, packs by turns, so that a heatmap of a
 * thousand patches delays another model's verdict by one batch and new requests are read between batches.
 */
import type { InferenceResponse, InferRequest, PackReport } from '../protocol.ts';
import { bringUp, type LoadRequest } from './packs.ts';
import { RequestQueue, type WaitingRequest } from './request-queue.ts';

export class BatchLoop {
  readonly #send: (response: InferenceResponse) => void;
  #queues: RequestQueue[] = [];
  #batchWaitMs = 0;
  /** A turn is due or under way. */
  #isTurning = false;
  /** The last turn: a session must not be released under a batch. */
  #turnEnd: Promise<void> = Promise.resolve();
  #wakeAt: NodeJS.Timeout | undefined;

  constructor(send: (response: InferenceResponse) => void) {
    this.#send = send;
  }

  /** Replaces all packs; what waits for the old ones fails and is asked again. */
  async load(request: LoadRequest): Promise<PackReport[]> {
    const broughtUp = [];
    for (const pack of request.packs) broughtUp.push(await bringUp(pack, request));
    await this.#turnEnd;
    const old = this.#queues;
    this.#queues = broughtUp.flatMap(({ session }) => (session === null ? [] : [new RequestQueue(session)]));
    this.#batchWaitMs = request.batchWaitMs;
    for (const queue of old) {
      this.#fail(queue.clear(), 'the model was replaced while the request waited');
      await queue.session.release();
    }
    return broughtUp.map(({ report }) => report);
  }

  add(request: InferRequest): void {
    const queue = this.#queues.find(({ session }) => session.pack.key === request.pack);
    try {
      if (queue === undefined) throw new Error(`the model ${request.pack} is not in service`);
      queue.add(request, performance.now());
    } catch (error) {
      this.#send({ type: 'failed', id: request.id, message: toText(error) });
      return;
    }
    this.#wake(0);
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
      const { completed, failed, error } = await queue.runBatch();
      this.#answer(completed);
      this.#fail(failed, toText(error));
    }
    this.#isTurning = false;
    const next = Math.min(...this.#queues.map((candidate) => candidate.ripeAt(this.#batchWaitMs)));
    if (Number.isFinite(next)) this.#wake(Math.max(0, Math.ceil(next - performance.now())));
  }

  #answer(requests: WaitingRequest[]): void {
    for (const { id, logits, busyMs, batches } of requests) {
      this.#send({ type: 'inferred', id, logits, elapsedMs: busyMs, batches });
    }
  }

  #fail(requests: WaitingRequest[], message: string): void {
    for (const { id } of requests) this.#send({ type: 'failed', id, message });
  }
}

function toText(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 500);
}

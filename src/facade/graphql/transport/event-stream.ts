/** Server-sent events: a payload is taken when the one before has left, so that a slow reader skips to the newest. */
import { Readable } from 'node:stream';
import type { Payload } from './payloads.ts';

/** Proxies cut what is silent for longer. */
const PING_INTERVAL_MS = 12_000;
const PING = Buffer.from(':\n\n');
const END = Buffer.from('event: complete\ndata:\n\n');

const events = new WeakMap<Payload, Buffer>();

function eventOf(payload: Payload): Buffer {
  const known = events.get(payload);
  if (known !== undefined) return known;
  const event = Buffer.from(`event: next\ndata: ${payload.text}\n\n`);
  events.set(payload, event);
  return event;
}

/** Destroying the stream ends the subscription. */
export class EventStream extends Readable {
  readonly #payloads: AsyncIterator<Payload, undefined>;
  #ping: NodeJS.Timeout | undefined;
  #isTaking = false;

  constructor(payloads: AsyncIterator<Payload, undefined>) {
    super({ highWaterMark: 1 });
    this.#payloads = payloads;
  }

  override _read(): void {
    if (this.#ping === undefined) this.#begin();
    else if (!this.#isTaking) this.#take();
  }

  /** Some browsers wait with the answer's head until a byte follows. */
  #begin(): void {
    this.#ping = setInterval(() => {
      if (this.#isTaking) this.push(PING);
    }, PING_INTERVAL_MS);
    this.push(PING);
  }

  #take(): void {
    this.#isTaking = true;
    this.#payloads.next().then(
      (step) => {
        this.#isTaking = false;
        if (this.destroyed) return;
        if (step.done !== true) this.push(eventOf(step.value));
        else this.#end();
      },
      (error: unknown) => this.destroy(error as Error),
    );
  }

  #end(): void {
    clearInterval(this.#ping);
    this.push(END);
    this.push(null);
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    clearInterval(this.#ping);
    const left = this.#payloads.return?.() ?? Promise.resolve();
    left.then(
      () => callback(error),
      (fault: Error) => callback(error ?? fault),
    );
  }
}

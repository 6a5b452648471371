/** Streams that clients hold open with their keys. */
import { authenticate } from '../../../src/app/callers/authenticate.ts';
import { followStanding } from '../../../src/app/callers/standing.ts';
import { watchClassifications } from '../../../src/app/records/watch.ts';
import type { Life } from '../life.ts';
import type { KnownKey } from './book.ts';
import { refusalOf } from './refusal.ts';

/** A stream may go on for so long after its caller lost its standing. */
const LOST_MS_MAX = 1000;
const FROM = { facade: 'grpc', remoteAddress: '192.0.2.7' } as const;

/** The streams of one life: they end with its process. */
export class Streams {
  readonly #open = new Map<AbortController, { key: KnownKey; settled: Promise<void> }>();
  #fault: Error | null = null;

  /** Opens one as a facade does for a caller with this key. */
  open(life: Life, key: KnownKey): void {
    const controller = new AbortController();
    const settled = this.#read(life, key, controller.signal)
      // It ends with an error where its caller lost its standing.
      .catch((error: unknown) => void refusalOf(error))
      .finally(() => this.#open.delete(controller));
    this.#open.set(controller, { key, settled });
  }

  async #read({ app }: Life, key: KnownKey, signal: AbortSignal): Promise<void> {
    const principal = authenticate(app, key.secret, FROM);
    using standing = followStanding(app, principal);
    const ends = AbortSignal.any([signal, standing.signal]);
    for await (const { identifier } of watchClassifications(app, { principal }, ends)) {
      if (lostMs(key, app.clock.now() / 1000) <= LOST_MS_MAX) continue;
      this.#fault ??= new Error(`a lost key hears nothing: its stream got ${identifier}`);
    }
  }

  /** Throws where one goes on that must have ended. */
  check({ app }: Life): void {
    if (this.#fault !== null) throw this.#fault;
    for (const { key } of this.#open.values()) {
      const ms = lostMs(key, app.clock.now() / 1000);
      if (ms > LOST_MS_MAX)
        throw new Error(`a lost key hears nothing: a stream is open ${ms} ms after its key was revoked`);
    }
  }

  /** The process stops serving. */
  async end(): Promise<void> {
    const settled = Array.from(this.#open.values(), (stream) => stream.settled);
    for (const controller of this.#open.keys()) controller.abort();
    await Promise.allSettled(settled);
  }
}

/** Negative infinity while the key holds. */
function lostMs({ revokedMs }: KnownKey, nowMs: number): number {
  return revokedMs === null ? Number.NEGATIVE_INFINITY : nowMs - revokedMs;
}

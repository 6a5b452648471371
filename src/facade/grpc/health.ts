/** The standard health service: serving while the engine can take work and the server is not being stopped. */
import type { Server } from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';

/** A load balancer asks every few seconds; the phase changes a few times in a daemon's life. */
const POLL_MS = 250;

export class Health implements Disposable {
  readonly #implementation = new HealthImplementation();
  readonly #isReady: () => boolean;
  readonly #names: readonly string[];
  readonly #timer: NodeJS.Timeout;
  #isStopped = false;
  #shown: 'SERVING' | 'NOT_SERVING' | undefined;

  /** The empty name stands for the whole server. */
  constructor(server: Server, isReady: () => boolean, services: readonly string[]) {
    this.#isReady = isReady;
    this.#names = ['', ...services];
    this.#update();
    this.#implementation.addToServer(server);
    this.#timer = setInterval(() => this.#update(), POLL_MS).unref();
  }

  stopServing(): void {
    this.#isStopped = true;
    this.#update();
  }

  [Symbol.dispose](): void {
    this.stopServing();
    clearInterval(this.#timer);
  }

  #update(): void {
    const status = this.#isReady() && !this.#isStopped ? 'SERVING' : 'NOT_SERVING';
    if (status === this.#shown) return;
    this.#shown = status;
    for (const name of this.#names) this.#implementation.setStatus(name, status);
  }
}

/** A picture at an address of its own, whose bytes wait until the test lets them go. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makePicture } from '../interface/media.ts';

export class HeldPicture implements AsyncDisposable {
  readonly #released = Promise.withResolvers<void>();
  readonly #server: Server;

  private constructor(picture: Buffer) {
    this.#server = createServer((_, response) => {
      void this.#released.promise.then(() => response.end(picture));
    });
  }

  static async open(): Promise<HeldPicture> {
    const held = new HeldPicture(await makePicture());
    held.#server.listen(0, '127.0.0.1');
    await once(held.#server, 'listening');
    return held;
  }

  /** Any path below it is the picture. */
  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Answers the waiting requests, and later ones at once. */
  release(): void {
    this.#released.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** A NATS server and workers without sockets: words are lost and repeated, workers vanish and lie, before the real judges. */
import { Readable } from 'node:stream';
import type { Msg, NatsConnection } from '@nats-io/transport-node';
import type { z } from 'zod';
import { pause } from '../../src/domain/clock.ts';
import { packKey } from '../../src/domain/packs/model-pack.ts';
import { VERSION } from '../../src/domain/version.ts';
import type { Note } from '../../src/engine/executors/noted-children.ts';
import { floatsToText } from '../../src/engine/remote/child-answers.ts';
import type { LeaseBook } from '../../src/engine/remote/lease-book.ts';
import type { LeaseCarrier } from '../../src/engine/remote/lease-stream.ts';
import {
  ANSWERS,
  type AnswerTo,
  askSubject,
  decode,
  deflated,
  encode,
  type Grant,
  inboxOf,
  type Verb,
} from '../../src/engine/remote/messages.ts';
import type { RemoteExecutorParts } from '../../src/engine/remote/remote-executor.ts';
import type { Random } from '../heavy/random.ts';
import { lie } from './lies.ts';
import { PACKS } from './packs.ts';
import { analysePicture } from './results.ts';
import type { VirtualClock } from './virtual-clock.ts';

export interface BrokerFaults {
  /** Shares of messages that are lost, and that come twice. */
  loses: number;
  repeats: number;
  /** Shares of the leases over which a worker vanishes, and that it ends with a lie. */
  vanishes: number;
  lies: number;
}

const WORKERS = ['north', 'south'] as const;
const HELLO_MS = 2000;
export const LEASE_MS = 10_000;

export class SimulatedBroker {
  readonly #clock: VirtualClock;
  readonly #random: Random;
  readonly #closed = new AbortController();
  readonly #questions: Msg[] = [];
  #wake = Promise.withResolvers<void>();
  #book: LeaseBook | null = null;
  faults: BrokerFaults;
  /** Results that the daemon has stored. */
  taken = 0;

  constructor(clock: VirtualClock, random: Random, faults: BrokerFaults) {
    this.#clock = clock;
    this.#random = random;
    this.faults = faults;
  }

  /** What the daemon's side is made with; the book of its leases takes what workers send by HTTPS. */
  parts(book: LeaseBook): Pick<RemoteExecutorParts, 'connect' | 'brokerFault' | 'isByTls' | 'carrier'> {
    this.#book = book;
    return {
      connect: async () => this.#connection(),
      brokerFault: () => null,
      isByTls: false,
      carrier: this.#carrier(),
    };
  }

  #carrier(): LeaseCarrier {
    return {
      invalidate() {},
      prepare: async () => {},
      publish: async ({ id }) => {
        const { loses, repeats } = this.faults;
        if (this.#random.chance(loses)) return;
        for (let times = this.#random.chance(repeats) ? 2 : 1; times > 0; times -= 1)
          void this.#take(this.#random.pick(WORKERS), id);
      },
    };
  }

  /** As much of a connection as the daemon's side of workers uses. */
  #connection(): NatsConnection {
    for (const worker of WORKERS) void this.#greet(worker);
    const connection: Partial<NatsConnection> = {
      subscribe: () => this.#listen() as unknown as ReturnType<NatsConnection['subscribe']>,
      status: () => this.#untilClosed() as unknown as ReturnType<NatsConnection['status']>,
      publish: () => undefined,
      close: async () => {
        this.#closed.abort();
        this.#wake.resolve();
      },
    };
    return connection as NatsConnection;
  }

  async *#listen(): AsyncGenerator<Msg> {
    while (!this.#closed.signal.aborted) {
      const question = this.#questions.shift();
      if (question !== undefined) yield question;
      else {
        this.#wake = Promise.withResolvers<void>();
        await this.#wake.promise;
      }
    }
  }

  async *#untilClosed(): AsyncGenerator<never> {
    await new Promise<void>((resolve) => this.#closed.signal.addEventListener('abort', () => resolve()));
  }

  async #ask<V extends Verb>(worker: string, verb: V, said: unknown): Promise<AnswerTo<V>> {
    const { promise, resolve } = Promise.withResolvers<Uint8Array>();
    const answered = (data?: Uint8Array) => {
      if (data !== undefined) resolve(data);
      return true;
    };
    const subject = askSubject(worker, verb);
    const message = { subject, reply: `${inboxOf(worker)}.1`, data: await encode(said), respond: answered };
    this.#questions.push(message as unknown as Msg);
    this.#wake.resolve();
    return await decode(ANSWERS[verb] as unknown as z.ZodType<AnswerTo<V>>, await promise);
  }

  async #greet(worker: string): Promise<void> {
    const packs = PACKS.map(({ pack }) => ({
      ...{ key: packKey(pack), sha256: pack.sha256, provider: 'cpu', precision: 'full', fault: null },
      goldenOutputs: pack.golden.expected,
    }));
    while (!this.#closed.signal.aborted) {
      void this.#ask(worker, 'hello', { version: VERSION, packs, places: 2, clock: 0, isDraining: false });
      await pause(this.#clock, HELLO_MS, this.#closed.signal);
    }
  }

  async #take(worker: string, lease: string): Promise<void> {
    await pause(this.#clock, this.#random.whole(1, 1000), this.#closed.signal);
    const claimed = await this.#ask(worker, 'claim', { lease });
    if (claimed.type === 'granted') await this.#work(worker, lease, claimed);
  }

  async #work(worker: string, lease: string, { analysis, token }: Grant): Promise<void> {
    await pause(this.#clock, this.#random.whole(1, 3000), this.#closed.signal);
    if (this.#closed.signal.aborted || this.#random.chance(this.faults.vanishes)) return;
    if (this.#random.chance(0.05)) {
      await this.#ask(worker, 'give-back', { lease });
      return;
    }
    const honest: Note[] = [];
    await analysePicture(analysis, this.#random, (note) => honest.push(note));
    const notes = this.#random.chance(this.faults.lies) ? lie(honest, this.#random) : honest;
    const word = await deflated(JSON.stringify({ from: 0, notes }, floatsToText));
    await this.#book?.answer(token, Readable.from([word]));
    const outcome = { type: 'done', stepTimes: [] };
    for (let times = this.#random.chance(this.faults.repeats) ? 2 : 1; times > 0; times -= 1)
      void this.#ask(worker, 'end', { lease, outcome }).then(({ isHeld }) => {
        if (isHeld) this.taken += 1;
      });
  }
}

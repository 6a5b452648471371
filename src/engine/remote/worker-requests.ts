/** What workers ask of the daemon, and what they are answered; who says what cannot be is not trusted any more. */
import type { Msg } from '@nats-io/transport-node';
import type { Logger } from 'pino';
import type { Clock } from '../../domain/clock.ts';
import { PlaceLostError } from '../worker-errors.ts';
import { faultOfResult, renameParts, toError } from './judge-result.ts';
import type { LeaseBook, OpenLease } from './lease-book.ts';
import type { LeaseStream } from './lease-stream.ts';
import {
  type AnswerTo,
  anyHello,
  decode,
  type Ending,
  encode,
  ending,
  type Hello,
  hello,
  lease as leaseShape,
  packSetOf,
  type Renewal,
  renewal,
  VERBS,
  type Verb,
  type Welcome,
  WORKER_NAME,
} from './messages.ts';
import { refusalOf, versionRefusal, type WantedPack } from './refusal.ts';
import type { WorkerRoster } from './worker-roster.ts';

export interface WorkerRequestsConfig {
  /** A worker that is silent for so long has lost what it held. */
  leaseMs: number;
  /** Where workers reach the listener for media. */
  mediaUrl: () => string;
  certificatePem: () => string | null;
}

export interface WorkerRequestsParts {
  roster: WorkerRoster;
  book: LeaseBook;
  stream: LeaseStream;
  log: Logger;
  clock: Clock;
  newIdentifier: () => string;
  /** Empty before they are read. */
  packs: () => readonly WantedPack[];
  terms: () => Welcome['terms'];
  /** Who may have work has changed. */
  changed: () => void;
}

export class WorkerRequests {
  readonly #config: WorkerRequestsConfig;
  readonly #parts: WorkerRequestsParts;

  constructor(config: WorkerRequestsConfig, parts: WorkerRequestsParts) {
    this.#config = config;
    this.#parts = parts;
  }

  /** Never rejects: what is no message is answered by nothing. */
  async answer(message: Msg): Promise<void> {
    const [, , worker = '', , verb = ''] = message.subject.split('.');
    if (!WORKER_NAME.test(worker) || !(VERBS as readonly string[]).includes(verb)) return;
    try {
      message.respond(await encode(await this.#answerTo(verb as Verb, worker, message.data)));
    } catch (error) {
      this.#parts.log.warn({ err: error, worker, verb }, 'a worker said something that cannot be');
    }
  }

  async #answerTo(verb: Verb, worker: string, data: Uint8Array): Promise<AnswerTo<Verb>> {
    switch (verb) {
      case 'hello':
        return await this.#welcome(worker, data);
      case 'claim':
        return this.#claim(worker, (await decode(leaseShape, data)).lease);
      case 'renew':
        return this.#renew(worker, await decode(renewal, data));
      case 'end':
        return { isHeld: await this.#end(worker, data) };
      case 'give-back': {
        const { lease: id } = await decode(leaseShape, data);
        const held = this.#parts.book.renew(id, worker);
        held?.outcome.reject(new PlaceLostError(`the worker ${worker} gave the work back`));
        return { isHeld: held !== undefined };
      }
    }
  }

  async #welcome(worker: string, data: Uint8Array): Promise<Welcome> {
    const { roster, stream, clock, terms, changed } = this.#parts;
    const wanted = this.#parts.packs();
    const { said, refusal } = await readHello(data, wanted, clock.now());
    const packSet = packSetOf(wanted);
    if (refusal === null) await stream.prepare(packSet);
    roster.hear(worker, said, { refusal, now: clock.now() });
    changed();
    const { leaseMs } = this.#config;
    return { ...roster.wordTo(worker), packSet, leaseMs, terms: terms() };
  }

  #claim(worker: string, id: string): AnswerTo<'claim'> {
    if (!this.#parts.roster.isAccepted(worker)) return { type: 'later' };
    const claimed = this.#parts.book.claim(id, worker);
    if (typeof claimed === 'string') return { type: claimed };
    const { id: analysisId, kind, hash, options, models } = claimed.lease.attempt.analysis;
    return {
      type: 'granted',
      analysis: { id: analysisId, kind, hash, options, models },
      token: claimed.token,
      mediaUrl: this.#config.mediaUrl(),
      certificatePem: this.#config.certificatePem(),
    };
  }

  #renew(worker: string, { lease: id, progress, findings }: Renewal): AnswerTo<'renew'> {
    const held = this.#parts.book.renew(id, worker);
    if (held !== undefined && findings !== null) held.attempt.found(findings);
    if (held !== undefined && progress !== null) held.attempt.report(progress);
    return { isHeld: held !== undefined };
  }

  /** Resolves once the store has what was brought, or does not want it. */
  async #end(worker: string, data: Uint8Array): Promise<boolean> {
    const said = await decode(ending, data).catch((error: unknown) => {
      this.#distrust(worker, 'it brought what is no result');
      this.#parts.log.warn({ err: error, worker }, 'a worker brought what is no result');
      return undefined;
    });
    if (said === undefined) return false;
    const held = this.#parts.book.renew(said.lease, worker);
    // A second word about what is being stored waits for nothing.
    if (held === undefined || held.confirm !== null) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    held.confirm = resolve;
    this.#parts.book.stopClock(held);
    this.#settle(held, said);
    return await promise;
  }

  /** Whoever lies once gets no more work, and what it holds goes to others. */
  #distrust(worker: string, reason: string): void {
    this.#parts.roster.distrust(worker, reason);
    this.#parts.book.takeBack(worker, `the worker ${worker} is not trusted: ${reason}`);
    this.#parts.changed();
  }

  #settle(held: OpenLease, { outcome }: Ending): void {
    if (outcome.type === 'failed') {
      held.outcome.reject(toError(outcome.failure));
      return;
    }
    const { attempt, kept } = held;
    const fault = faultOfResult(attempt.analysis, outcome, kept);
    if (fault !== null) {
      this.#distrust(held.holder ?? '', `it brought what cannot be: ${fault}`);
      return;
    }
    for (const likeness of outcome.likenesses) attempt.seen(likeness);
    for (const { step, seconds } of outcome.stepTimes) attempt.stepTimed(step, seconds);
    held.outcome.resolve(renameParts(outcome.result, this.#parts.newIdentifier));
  }
}

/** A worker of another version may say hello in other words: it is listed all the same, with why it gets no work. */
async function readHello(
  data: Uint8Array,
  wanted: readonly WantedPack[],
  now: number,
): Promise<{ said: Hello; refusal: string | null }> {
  const said = await decode(hello, data).catch(() => null);
  if (said !== null) return { said, refusal: refusalOf(said, wanted) };
  const { version } = await decode(anyHello, data);
  const refusal = versionRefusal(version) ?? 'what it says of itself is not what a worker says';
  return { said: { version, packs: [], places: 0, clock: now, isDraining: false }, refusal };
}

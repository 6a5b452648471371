/** Workers' requests to the daemon, and their answers. A worker that sends impossible results is set aside for a while. */
import type { Msg } from '@nats-io/transport-node';
import type { Logger } from 'pino';
import type { Clock } from '../../domain/clock.ts';
import { goldenDifference } from '../../domain/packs/golden-difference.ts';
import { VERSION } from '../../domain/version.ts';
import { ExecutorLostError, MediaFaultError, WorkerLostError } from '../children/worker-errors.ts';
import { replay } from './child-answers.ts';
import type { LeaseBook, OpenLease } from './lease-book.ts';
import type { LeaseCarrier } from './lease-stream.ts';
import {
  type AnswerTo,
  anyHello,
  anyLease,
  decode,
  type Ending,
  encode,
  ending,
  GOLDEN_OUTPUTS_MAX,
  type Hello,
  hello,
  isOwnInbox,
  lease as leaseShape,
  packSetOf,
  type Renewal,
  renewal,
  UnreadableError,
  VERBS,
  type Verb,
  type Welcome,
  WORKER_NAME,
  type WorkerFailure,
} from './messages.ts';
import type { WorkerRoster } from './worker-roster.ts';

export interface WorkerRequestsConfig {
  /** A worker silent for so long has lost its work. */
  leaseMs: number;
  mediaUrl: () => string;
  certificatePem: () => string | null;
}

export interface WorkerRequestsParts {
  roster: WorkerRoster;
  book: LeaseBook;
  stream: LeaseCarrier;
  log: Logger;
  clock: Clock;
  /** Empty before they are read. */
  packs: () => readonly WantedPack[];
  terms: () => Welcome['terms'];
  /** Called when the workers that may have work change. */
  changed: () => void;
}

/** Analyses whose refused result is remembered; forgetting the oldest loses nothing. */
const REFUSED_MAX = 1000;
const WARNED_MAX = 1000;
const WARN_PAUSE_MS = 60_000;

export class WorkerRequests {
  readonly #config: WorkerRequestsConfig;
  readonly #parts: WorkerRequestsParts;
  /** The worker of a refused result, by analysis. */
  readonly #refusedBy = new Map<string, string>();
  readonly #warnedAt = new Map<string, number>();

  constructor(config: WorkerRequestsConfig, parts: WorkerRequestsParts) {
    this.#config = config;
    this.#parts = parts;
  }

  /** Never rejects. Messages that do not name the worker's own inbox are ignored. */
  async answer(message: Msg): Promise<void> {
    const [, , worker = '', , verb = ''] = message.subject.split('.');
    if (!WORKER_NAME.test(worker) || !isVerb(verb)) return;
    const { reply, data } = message;
    if (!isOwnInbox(worker, reply)) {
      this.#warn(worker, { verb, reply }, 'a question that names another inbox than the worker’s is ignored');
      return;
    }
    try {
      const answer = await this.#answerTo(verb, worker, data).catch((error: unknown) =>
        this.#answerUnreadable(verb, worker, data, error),
      );
      if (answer !== null) message.respond(await encode(answer));
    } catch (error) {
      this.#warn(worker, { verb, err: error }, 'a worker could not be answered');
    }
  }

  /** An unreadable message costs only the lease that it names, if its sender holds it. */
  async #answerUnreadable(
    verb: Verb,
    worker: string,
    data: Uint8Array,
    error: unknown,
  ): Promise<AnswerTo<Verb> | null> {
    if (!(error instanceof UnreadableError)) throw error;
    this.#warn(worker, { verb, fault: error.message }, 'a worker said what cannot be read');
    const named = await decode(anyLease, data).catch(() => null);
    const held = named === null ? undefined : this.#parts.book.renew(named.lease, worker);
    if (held?.confirm === null) {
      this.#parts.book.refuse(held, `the worker ${worker} said what cannot be read: ${error.message}`);
    }
    if (verb === 'hello') return null;
    return verb === 'claim' ? { type: 'later' } : { isHeld: false };
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
        return { isHeld: await this.#end(worker, await decode(ending, data)) };
      case 'give-back': {
        const { lease: id } = await decode(leaseShape, data);
        const held = this.#parts.book.renew(id, worker);
        held?.outcome.reject(new ExecutorLostError(`the worker ${worker} gave the work back`));
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
    void this.#replay(claimed.lease, worker);
    return {
      type: 'granted',
      analysis: claimed.lease.attempt.analysis,
      token: claimed.token,
      mediaUrl: this.#config.mediaUrl(),
      certificatePem: this.#config.certificatePem(),
    };
  }

  #renew(worker: string, { lease: id, progress }: Renewal): AnswerTo<'renew'> {
    const held = this.#parts.book.renew(id, worker);
    if (progress !== null) held?.attempt.report(progress);
    return { isHeld: held !== undefined };
  }

  /** Resolves once the store has the result, or does not want it. */
  async #end(worker: string, { lease: id, outcome }: Ending): Promise<boolean> {
    const held = this.#parts.book.renew(id, worker);
    // A repeated message about a result that is being stored waits for nothing.
    if (held === undefined || held.confirm !== null) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    held.confirm = resolve;
    this.#parts.book.stopClock(held);
    if (outcome.type === 'failed') held.outcome.reject(toError(outcome.failure));
    else {
      for (const { step, seconds } of outcome.stepTimes) held.attempt.stepTimed(step, seconds);
      held.answers.end();
    }
    return await promise;
  }

  /** Makes the analysis from the answers of the worker's children. Never rejects. */
  async #replay(held: OpenLease, worker: string): Promise<void> {
    const heldSeconds = () => this.#parts.book.heldSeconds(held);
    try {
      const result = await replay({ ...held, heldSeconds }, this.#parts.terms());
      this.#refusedBy.delete(held.attempt.analysis.id);
      held.outcome.resolve(result);
    } catch (error) {
      const fault = error instanceof Error ? error.message : String(error);
      if (!held.closed.signal.aborted) this.#refuse(held, worker, `it brought what cannot be: ${fault}`);
    }
  }

  /**
   * Sets aside a worker that sends an impossible result. If another sent such a result of the file before,
   * the file or this box is the cause: it costs an attempt, or one file would take every worker out of
   * service.
   */
  #refuse(held: OpenLease, worker: string, fault: string): void {
    const { roster, book, clock, changed } = this.#parts;
    const { id } = held.attempt.analysis;
    this.#warn(worker, { analysis: id, fault }, 'a result was refused');
    const before = this.#refusedBy.get(id);
    if (before !== undefined && before !== worker) {
      this.#refusedBy.delete(id);
      roster.restore(before);
      held.outcome.reject(new WorkerLostError('broken', `${before} and ${worker} were refused: ${fault}`));
    } else {
      this.#noteRefused(id, worker);
      roster.setAside(worker, fault, clock.now());
      book.refuse(held, `the worker ${worker} was refused: ${fault}`);
      book.takeBack(worker, `the worker ${worker} was set aside: ${fault}`);
    }
    changed();
  }

  #noteRefused(analysisId: string, worker: string): void {
    this.#refusedBy.set(analysisId, worker);
    if (this.#refusedBy.size <= REFUSED_MAX) return;
    for (const oldest of this.#refusedBy.keys()) {
      this.#refusedBy.delete(oldest);
      break;
    }
  }

  /** Logged once a minute for each worker and sentence: no holder of a key may fill the log. */
  #warn(worker: string, fields: object, sentence: string): void {
    const key = `${worker} ${sentence}`;
    const now = this.#parts.clock.elapsedMs();
    if (now - (this.#warnedAt.get(key) ?? Number.NEGATIVE_INFINITY) < WARN_PAUSE_MS) return;
    if (this.#warnedAt.size >= WARNED_MAX) this.#warnedAt.clear();
    this.#warnedAt.set(key, now);
    this.#parts.log.warn({ worker, ...fields }, sentence);
  }
}

/** The error that a child of this box would throw. */
function toError(failure: WorkerFailure): Error {
  switch (failure.type) {
    case 'media':
      return new MediaFaultError(failure.fault, failure.message);
    case 'lost':
      return new WorkerLostError('ended', failure.message);
    case 'wait':
      return new ExecutorLostError(failure.message);
  }
}

const isVerb = (verb: string): verb is Verb => VERBS.some((known) => known === verb);

/** A worker of another version may word its hello differently: it is listed all the same, with why it gets no work. */
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

/** A pack that a worker must have, byte for byte. */
interface WantedPack {
  key: string;
  sha256: string;
  /** By this box's own copy. */
  golden: { tolerance: number; expected: readonly number[] };
}

function versionRefusal(version: string): string | null {
  return version === VERSION ? null : `it is version ${version}, and the daemon ${VERSION}`;
}

/** Null if it may have work. */
function refusalOf({ version, packs }: Hello, wanted: readonly WantedPack[]): string | null {
  const outdated = versionRefusal(version);
  if (outdated !== null) return outdated;
  if (packs.length === 0) return 'it has loaded no packs yet';
  for (const pack of wanted) {
    const found = packs.find(({ key }) => key === pack.key);
    if (found === undefined) return `it lacks the pack ${pack.key}`;
    const fault = packFault(found, pack);
    if (fault !== null) return `its pack ${pack.key} ${fault}`.slice(0, SENTENCE_MAX);
  }
  const extra = packs.find(({ key }) => !wanted.some((pack) => pack.key === key));
  return extra === undefined ? null : `it has the pack ${extra.key}, which the daemon lacks`;
}

/** Characters of a refusal sent to the worker. */
const SENTENCE_MAX = 500;

/** The outputs are compared here, since a worker's own judgement proves nothing. */
function packFault(found: Hello['packs'][number], { sha256, golden }: WantedPack): string | null {
  if (found.sha256 !== sha256) return 'has other bytes';
  if (found.fault !== null) return `is out of service: ${found.fault}`;
  if (found.goldenOutputs === null) return 'has not given its golden outputs';
  const { tolerance, expected } = golden;
  const { largest, index } = goldenDifference(found.goldenOutputs, expected.slice(0, GOLDEN_OUTPUTS_MAX));
  if (largest <= tolerance) return null;
  const by = Number.isFinite(largest) ? `differs by ${largest.toPrecision(3)} from` : 'lacks';
  return `${by} golden output ${index + 1}, at most ${tolerance} is allowed`;
}

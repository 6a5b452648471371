/** A worker's side: takes leases, carries jobs out on this box, and acknowledges only what the daemon has stored. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Consumer, type JsMsg, jetstream } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Logger } from 'pino';
import type { ZodType } from 'zod';
import { packKey } from '../../domain/packs/model-pack.ts';
import type { Progress } from '../../domain/records/classification.ts';
import { StepTimes } from '../../domain/records/step-times.ts';
import { VERSION } from '../../domain/version.ts';
import { failureOf } from '../children/engine-errors.ts';
import { MediaFaultError } from '../children/worker-errors.ts';
import type { ChildExecutor } from '../executors/child-executor.ts';
import { JobFiles } from './job-files.ts';
import {
  ANSWERS,
  type AnswerTo,
  askSubject,
  cancelSubject,
  consumerOf,
  decode,
  type Ending,
  encode,
  GOLDEN_OUTPUTS_MAX,
  type Grant,
  type Hello,
  lease as leaseShape,
  STREAM,
  type Verb,
  type Welcome,
  type WorkerFailure,
} from './messages.ts';
import { HELLO_INTERVAL_MS } from './worker-roster.ts';

export interface LeaseTakerConfig {
  name: string;
  /** Analyses at once. */
  slots: number;
  /** Each job has a folder of its own in it. */
  folder: string;
}

export interface LeaseTakerParts {
  connection: NatsConnection;
  executor: ChildExecutor;
  log: Logger;
  /** Microseconds since 1970 UTC. */
  clock: { now(): number };
}

/** Changes of a job are sent with the next renewal, at most this often. */
const REPORT_INTERVAL_MS = 500;
const ASK_TIMEOUT_MS = 5000;
/** Bounds the wait for the store's transaction. */
const END_TIMEOUT_MS = 60_000;
/** An empty pull is repeated, since a consumer may be gone with the broker's data. */
const PULL_EXPIRES_MS = 5000;
const PAUSE_MS = 1000;
const SENTENCE_MAX = 2000;

interface Job {
  lease: string;
  message: JsMsg;
  controller: AbortController;
  progress: Progress | null;
}

type Cause = 'lost' | 'cancelled' | 'drained';

export class LeaseTaker {
  readonly #config: LeaseTakerConfig;
  readonly #parts: LeaseTakerParts;
  readonly #jobs = new Map<string, Job>();
  readonly #stopped = new AbortController();
  #welcome: Welcome | null = null;
  #refusal: string | null = null;

  constructor(config: LeaseTakerConfig, parts: LeaseTakerParts) {
    this.#config = config;
    this.#parts = parts;
  }

  /** Runs until `drain`. */
  async run(): Promise<void> {
    void this.#hearCancels();
    const slots = Array.from({ length: this.#config.slots }, () => this.#workSlot());
    await Promise.all([this.#sayHello(), ...slots]);
  }

  /** Takes no more work and gives back what it holds. */
  drain(): void {
    this.#stopped.abort();
    for (const { controller } of this.#jobs.values()) controller.abort('drained' satisfies Cause);
  }

  async #sayHello(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      try {
        this.#welcome = await this.#ask('hello', this.#hello());
        const refusal = refusalIn(this.#welcome);
        if (refusal !== this.#refusal) {
          this.#parts.log.warn({ refusal }, refusal === null ? 'the daemon gives work' : 'no work comes');
        }
        this.#refusal = refusal;
      } catch (error) {
        this.#welcome = null;
        this.#parts.log.debug({ err: error }, 'the daemon does not answer');
      }
      await pause(HELLO_INTERVAL_MS, this.#stopped.signal);
    }
    await this.#ask('hello', this.#hello()).catch(() => {});
  }

  #hello(): Hello {
    const { executor, clock } = this.#parts;
    const packs = executor.shelf.installed.map(({ pack, report }) => ({
      key: packKey(pack),
      sha256: pack.sha256,
      provider: report?.provider ?? null,
      precision: report?.precision ?? null,
      goldenOutputs: report?.goldenOutputs?.slice(0, GOLDEN_OUTPUTS_MAX) ?? null,
      fault: report?.fault?.slice(0, SENTENCE_MAX) ?? null,
    }));
    const isDraining = this.#stopped.signal.aborted;
    return { version: VERSION, packs, places: this.#config.slots, clock: clock.now(), isDraining };
  }

  async #workSlot(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      const message = await this.#next().catch((error: unknown) => {
        this.#parts.log.debug({ err: error }, 'no lease could be pulled');
        return null;
      });
      if (message === null) await pause(PAUSE_MS, this.#stopped.signal);
      else await this.#take(message);
    }
  }

  async #next(): Promise<JsMsg | null> {
    if (this.#welcome === null || refusalIn(this.#welcome) !== null) return null;
    const consumer: Consumer = await jetstream(this.#parts.connection).consumers.get(
      STREAM,
      consumerOf(this.#welcome.packSet),
    );
    const message = await consumer.next({ expires: PULL_EXPIRES_MS });
    if (message === null || !this.#stopped.signal.aborted) return message;
    message.nak();
    return null;
  }

  /** Never rejects. */
  async #take(message: JsMsg): Promise<void> {
    try {
      const { lease } = await decode(leaseShape, message.data);
      const claimed = await this.#ask('claim', { lease });
      if (claimed.type === 'gone') return message.ack();
      if (claimed.type === 'later') return message.nak(PAUSE_MS);
      await this.#carryOut(claimed, lease, message);
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'a lease was not carried out');
      message.nak(PAUSE_MS);
    }
  }

  async #carryOut(grant: Grant, lease: string, message: JsMsg): Promise<void> {
    const job: Job = { lease, message, controller: new AbortController(), progress: null };
    this.#jobs.set(lease, job);
    const ended = new AbortController();
    const renewing = this.#renew(job, ended.signal);
    try {
      const outcome = await this.#analyse(grant, job);
      const isGivenBack = job.controller.signal.reason === ('drained' satisfies Cause);
      if (isGivenBack) await this.#ask('give-back', { lease });
      else if (!job.controller.signal.aborted) await this.#end({ lease, outcome });
      await message.ackAck();
    } finally {
      ended.abort();
      await renewing;
      this.#jobs.delete(lease);
    }
  }

  async #analyse(grant: Grant, job: Job): Promise<Ending['outcome']> {
    const { signal } = job.controller;
    const folder = join(this.#config.folder, job.lease);
    const steps = new StepTimes();
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await using files = await JobFiles.open(grant, folder, signal);
      const attempt = {
        id: job.lease,
        analysis: grant.analysis,
        signal,
        report: (progress: Progress) => {
          job.progress = progress;
        },
        found: () => {},
        seen: () => {},
        stepTimed: (step: string, seconds: number) => steps.add(step, seconds),
      };
      await this.#parts.executor.execute(attempt, files, (note) => files.note(note));
      await files.noted();
      return { type: 'done', stepTimes: steps.toList() };
    } catch (error) {
      if (!signal.aborted) this.#parts.log.warn({ err: error }, 'an attempt at an analysis failed');
      return { type: 'failed', failure: toFailure(error) };
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  }

  /** Sends news, and renews at a third of the lease's time. Never rejects. */
  async #renew(job: Job, ended: AbortSignal): Promise<void> {
    const every = (this.#welcome?.leaseMs ?? PAUSE_MS) / 3;
    let said = { at: performance.now(), progress: job.progress };
    for (;;) {
      await pause(Math.min(REPORT_INTERVAL_MS, every), ended);
      if (ended.aborted) return;
      const { progress, lease } = job;
      if (progress === said.progress && performance.now() - said.at < every) continue;
      try {
        job.message.working();
        const { isHeld } = await this.#ask('renew', { lease, progress });
        said = { at: performance.now(), progress };
        if (!isHeld && !ended.aborted) job.controller.abort('lost' satisfies Cause);
      } catch (error) {
        this.#parts.log.debug({ err: error }, 'a lease was not renewed');
      }
    }
  }

  /** Repeated until it is answered: the daemon takes it once. */
  async #end(ending: Ending): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      try {
        await this.#ask('end', ending, END_TIMEOUT_MS);
        return;
      } catch (error) {
        this.#parts.log.debug({ err: error }, 'an ending was not answered');
        await pause(PAUSE_MS, this.#stopped.signal);
      }
    }
  }

  async #hearCancels(): Promise<void> {
    const { connection } = this.#parts;
    for await (const { data, reply } of connection.subscribe(cancelSubject(this.#config.name))) {
      // The daemon asks for no answer. A lease relayed by the broker at another worker's request does.
      if (reply !== undefined && reply !== '') continue;
      const said = await decode(leaseShape, data).catch(() => null);
      if (said !== null) this.#jobs.get(said.lease)?.controller.abort('cancelled' satisfies Cause);
    }
  }

  async #ask<V extends Verb>(verb: V, said: unknown, timeoutMs = ASK_TIMEOUT_MS): Promise<AnswerTo<V>> {
    const subject = askSubject(this.#config.name, verb);
    const { data } = await this.#parts.connection.request(subject, await encode(said), {
      timeout: timeoutMs,
    });
    return await decode(ANSWERS[verb] as unknown as ZodType<AnswerTo<V>>, data);
  }
}

function refusalIn({ refusal, isDrained }: Welcome): string | null {
  return refusal ?? (isDrained ? 'an administrator drained this worker' : null);
}

function toFailure(error: unknown): WorkerFailure {
  const message = (error instanceof Error ? error.message : String(error)).slice(0, SENTENCE_MAX);
  if (error instanceof MediaFaultError) return { type: 'media', fault: error.fault, message };
  const { type } = failureOf(error, { isOverdue: false, timeoutMs: 0 });
  return { type: type === 'wait' ? 'wait' : 'lost', message };
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal }).catch(() => {});
}

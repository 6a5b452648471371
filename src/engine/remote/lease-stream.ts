/** The work queue in JetStream. It only says that there is work; lost or refused messages are published again. */
import { setTimeout as delay } from 'node:timers/promises';
import { AckPolicy, jetstream, jetstreamManager, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Logger } from 'pino';
import type { Clock } from '../../domain/clock.ts';
import type { OpenLease } from './lease-book.ts';
import { consumerOf, encode, leaseFilter, leaseSubject, STREAM } from './messages.ts';

export interface LeaseStreamParts {
  /** Throws ExecutorLostError before there is a connection. */
  connection: () => NatsConnection;
  clock: Pick<Clock, 'elapsedMs'>;
  log: Logger;
}

/** Further work waits in the store, which is the queue of record. */
const LEASES_MAX = 100_000;
const NANOSECONDS_PER_MS = 1e6;
/** How long the stream and its consumer count as present: a worker can delete both by an acknowledgement's reply subject. */
const SEEN_MS_MAX = 5000;
/** How long a vanished stream is left alone: nats-server 2.9.10 breaks one made while the former's files are removed. */
const REMOVAL_MS = 1000;

/** Announces work; it may lose a message, or deliver it twice. */
export type LeaseCarrier = Pick<LeaseStream, 'prepare' | 'publish' | 'invalidate'>;

export class LeaseStream {
  readonly #leaseMs: number;
  readonly #parts: LeaseStreamParts;
  /** The pack set whose stream and consumer were seen in the broker, and when. */
  #prepared: { packSet: string; atMs: number } | null = null;

  /** Whether there was a stream before, which somebody may have deleted since. */
  #wasMade = false;

  constructor(leaseMs: number, parts: LeaseStreamParts) {
    this.#leaseMs = leaseMs;
    this.#parts = parts;
  }

  /** After a lost connection the broker's contents are unknown. */
  invalidate(): void {
    this.#prepared = null;
  }

  /** Makes the stream and consumer for workers with the pack set, unless they exist. */
  async prepare(packSet: string): Promise<void> {
    const atMs = this.#parts.clock.elapsedMs();
    if (this.#prepared?.packSet === packSet && atMs - this.#prepared.atMs < SEEN_MS_MAX) return;
    const manager = await jetstreamManager(this.#parts.connection());
    const leaseNs = this.#leaseMs * NANOSECONDS_PER_MS;
    const stream = {
      name: STREAM,
      subjects: ['assay.leases.>'],
      max_msgs: LEASES_MAX,
      retention: RetentionPolicy.Workqueue,
      storage: StorageType.File,
      duplicate_window: leaseNs / 4,
    };
    await manager.streams.info(STREAM).catch(async () => {
      if (this.#wasMade) await delay(REMOVAL_MS);
      await manager.streams.add(stream);
    });
    this.#wasMade = true;
    await manager.consumers.info(STREAM, consumerOf(packSet)).catch(() =>
      manager.consumers.add(STREAM, {
        durable_name: consumerOf(packSet),
        filter_subject: leaseFilter(packSet),
        ack_policy: AckPolicy.Explicit,
        ack_wait: leaseNs,
      }),
    );
    this.#prepared = { packSet, atMs };
  }

  /** Throws ExecutorLostError before there is a broker; a refusing one is logged. */
  async publish({ id, attempt }: OpenLease, packSet: string): Promise<void> {
    const connection = this.#parts.connection();
    try {
      await this.prepare(packSet);
      const subject = leaseSubject(packSet, attempt.analysis.kind);
      await jetstream(connection).publish(subject, await encode({ lease: id }), { msgID: id });
    } catch (error) {
      this.invalidate();
      this.#parts.log.warn({ err: error }, 'a lease could not be published; it is tried again');
    }
  }
}

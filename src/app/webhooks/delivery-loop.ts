/**
 * Sends the outbox: what is due, a few at once, the same for every start. It keeps no state of its own, so a kill
 * costs at most an attempt that is made again under the same id.
 */
import { type Alarm, pause } from '../../domain/clock.ts';
import type { WebhookDelivery } from '../../domain/records/webhook.ts';
import { MICROSECONDS_PER_MS } from '../../domain/time.ts';
import type { Metrics } from '../../machinery/metrics.ts';
import type { Store } from '../../store/store.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { type AttemptParts, attemptDelivery } from './attempt.ts';

export interface DeliveryLoopParts extends Omit<AttemptParts, 'read'> {
  store: Store;
  metrics: Metrics;
  /** Makes deliveries of records that ended; resolves with whether there may be more. */
  spreadNotices: () => Promise<boolean>;
}

/** Each holds a connection and a body; most of the time is waiting for a receiver. */
const IN_FLIGHT_MAX = 16;
/** A receiver that answers slowly must not take the places of all others. */
const IN_FLIGHT_PER_RECEIVER_MAX = 4;
/** Deliveries looked through for one that may start: bounds what a backlog of one receiver costs each time. */
const SCAN_MAX = 256;
/** While attempts are under way what comes due is looked for this often. */
const BUSY_WAIT_MS = 1000;
/** Timers are bounded; an hour is often enough to look at a clock that was set. */
const IDLE_WAIT_MS_MAX = 3_600_000;
/** A store that fails (a full disk) must not be asked in a tight loop, nor a receiver be sent the same at once. */
const STORE_PAUSE_MS = 5000;

export class DeliveryLoop implements AsyncDisposable {
  readonly #parts: DeliveryLoopParts;
  readonly #attempts: AttemptParts;
  readonly #inFlight = new Map<string, { receiver: string; settled: Promise<void> }>();
  readonly #stopped = new AbortController();
  #alarm: Alarm | undefined;
  #spreading: Promise<void> | undefined;
  #isOpen = false;
  #isWoken = false;

  constructor(parts: DeliveryLoopParts) {
    this.#parts = parts;
    this.#attempts = { ...parts, read: parts.store.read };
  }

  start(): void {
    this.#isOpen = true;
    this.wake();
  }

  /** Something may be due. Many calls of one moment cost one look. */
  wake(): void {
    if (!this.#isOpen || this.#isWoken) return;
    this.#isWoken = true;
    this.#parts.clock.soon(() => {
      this.#isWoken = false;
      this.#spread();
      this.#sendDue();
    });
  }

  /** Starts nothing more, lets what is under way end, then cuts it: it is sent again after the next start. */
  async stop(graceMs: number): Promise<void> {
    this.#isOpen = false;
    this.#alarm?.cancel();
    const settled = Promise.all(Array.from(this.#inFlight.values(), (attempt) => attempt.settled));
    const patience = new AbortController();
    await Promise.race([settled, pause(this.#parts.clock, graceMs, patience.signal)]);
    patience.abort();
    this.#stopped.abort();
    await settled;
    await this.#spreading;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop(0);
  }

  /** Records that ended become deliveries of the rules that want them; one look at a time. */
  #spread(): void {
    this.#spreading ??= this.#parts
      .spreadNotices()
      .catch(async (error: unknown) => {
        this.#parts.log.error({ err: error }, 'notices could not be written down');
        await pause(this.#parts.clock, STORE_PAUSE_MS, this.#stopped.signal);
        return true;
      })
      .then((hasMore) => {
        this.#spreading = undefined;
        if (hasMore) this.wake();
      });
  }

  #sendDue(): void {
    if (!this.#isOpen) return;
    const { store, clock } = this.#parts;
    for (const delivery of store.read.dueDeliveries(clock.now(), SCAN_MAX)) {
      if (this.#inFlight.size >= IN_FLIGHT_MAX) break;
      if (this.#mayStart(delivery)) this.#begin(delivery);
    }
    this.#setTimer();
  }

  #mayStart(delivery: WebhookDelivery): boolean {
    if (this.#inFlight.has(delivery.id)) return false;
    const receiver = receiverOf(delivery);
    const others = [...this.#inFlight.values()].filter((attempt) => attempt.receiver === receiver);
    return others.length < IN_FLIGHT_PER_RECEIVER_MAX;
  }

  #begin(delivery: WebhookDelivery): void {
    const settled = this.#deliver(delivery).finally(() => {
      this.#inFlight.delete(delivery.id);
      this.wake();
    });
    this.#inFlight.set(delivery.id, { receiver: receiverOf(delivery), settled });
  }

  /** Never rejects. */
  async #deliver(delivery: WebhookDelivery): Promise<void> {
    const { store, clock, metrics, log } = this.#parts;
    const signal = this.#stopped.signal;
    try {
      const { outcome, apply } = await attemptDelivery(this.#attempts, delivery, signal);
      await store.transact((tx) => {
        const current = tx.delivery(delivery.id);
        if (current === undefined) return;
        const next = apply(current);
        tx.putDelivery(next);
        if (next.state === 'gone') this.#disable(tx, next);
      });
      metrics.webhookAttempts.inc({ outcome });
    } catch (error) {
      if (signal.aborted) return;
      log.error({ err: error, delivery: delivery.id }, 'the end of a webhook could not be written down');
      await pause(clock, STORE_PAUSE_MS, signal);
    }
  }

  #disable(tx: StoreTransaction, { noticeId, accountId, url }: WebhookDelivery): void {
    if (noticeId === null) {
      tx.disableReceiver(accountId, url, this.#parts.clock.now());
      return;
    }
    const rule = tx.noticeRule(noticeId);
    if (rule !== undefined)
      tx.putNoticeRule({ ...rule, isPaused: true, reason: 'the receiver answered 410' });
  }

  #setTimer(): void {
    this.#alarm?.cancel();
    this.#alarm = undefined;
    const dueAt = this.#parts.store.read.nextDeliveryAt();
    if (dueAt === undefined) return;
    const untilDueMs = Math.max(0, (dueAt - this.#parts.clock.now()) / MICROSECONDS_PER_MS);
    const waitMs = this.#inFlight.size > 0 ? BUSY_WAIT_MS : Math.min(untilDueMs, IDLE_WAIT_MS_MAX);
    this.#alarm = this.#parts.clock.after(Math.ceil(waitMs), () => this.#sendDue());
  }
}

/** One machine under one name: what its outage takes down together. */
function receiverOf({ url }: WebhookDelivery): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}

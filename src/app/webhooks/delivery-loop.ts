/** Sends the outbox. A delivery that is cut off by a kill is sent again under the same id. */
import type { WebhookDelivery } from '../../domain/answers/webhook.ts';
import { pause } from '../../domain/clock.ts';
import { DueLoop, STORE_PAUSE_MS } from '../../machinery/due-loop.ts';
import type { Metrics } from '../../machinery/metrics.ts';
import type { Store } from '../../store/store.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { type AttemptParts, attemptDelivery, noticeRuleOf } from './attempt.ts';

export interface DeliveryLoopParts extends Omit<AttemptParts, 'read'> {
  store: Store;
  metrics: Metrics;
  /** Makes deliveries of records that ended; resolves with whether there may be more. */
  spreadNotices: () => Promise<boolean>;
}

/** Each holds a connection and a body; most of the time is waiting for a receiver. */
const BOUNDS = { inFlightMax: 16, inFlightPerGroupMax: 4 };
/** Deliveries looked through at once for one that may start: bounds what a backlog of one receiver costs each time. */
const SCAN_MAX = 256;

export class DeliveryLoop implements AsyncDisposable {
  readonly #parts: DeliveryLoopParts;
  readonly #attempts: AttemptParts;
  readonly #loop: DueLoop<WebhookDelivery>;
  readonly #stopped = new AbortController();
  #spreading: Promise<void> | undefined;
  /** Where the last look ended, if it found room and nothing more to start. */
  #lookedUpTo: WebhookDelivery | undefined;
  /** Records may have ended since the last look at them began. */
  #hasEnded = false;
  #isOpen = false;

  constructor(parts: DeliveryLoopParts) {
    const { store } = parts;
    this.#parts = parts;
    this.#attempts = { ...parts, read: store.read };
    this.#loop = new DueLoop(
      BOUNDS,
      {
        due: () => this.#due(),
        nextAt: () => store.read.nextDeliveryAt(),
        keyOf: ({ id }) => id,
        groupOf: receiverOf,
        carryOut: (delivery, signal) => this.#deliver(delivery, signal),
        fault: 'the end of a webhook could not be written down',
      },
      parts,
    );
  }

  start(): void {
    this.#isOpen = true;
    this.#loop.start();
    this.wake();
  }

  /** Something may be due. Many calls of one moment cost one look. */
  wake(): void {
    if (!this.#isOpen) return;
    this.#loop.wake();
    this.#hasEnded = true;
    this.#spreading ??= this.#spread();
  }

  /** Starts nothing more, lets what is under way end, then cuts it: it is sent again after the next start. */
  async stop(graceMs: number): Promise<void> {
    this.#isOpen = false;
    await this.#loop.stop(graceMs);
    this.#stopped.abort();
    await this.#spreading;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop(0);
  }

  /** A look that is read to its end found only what waits for others of its receiver: the next goes on behind it. */
  *#due(): Generator<WebhookDelivery> {
    const { store, clock } = this.#parts;
    const found = store.read.dueDeliveries(clock.now(), SCAN_MAX, this.#lookedUpTo);
    this.#lookedUpTo = undefined;
    yield* found;
    if (found.length === SCAN_MAX) this.#lookedUpTo = found.at(-1);
  }

  /** Records that ended become deliveries of the rules that want them. Never rejects. */
  async #spread(): Promise<void> {
    const { clock, log, spreadNotices } = this.#parts;
    const { signal } = this.#stopped;
    while (this.#hasEnded && this.#isOpen) {
      // What woke this may still be inside its transaction.
      await new Promise<void>((resolve) => clock.soon(resolve));
      this.#hasEnded = false;
      try {
        // A wake that comes meanwhile must not be forgotten.
        if (await spreadNotices()) this.#hasEnded = true;
      } catch (error) {
        log.error({ err: error }, 'notices could not be written down');
        this.#hasEnded = true;
        await pause(clock, STORE_PAUSE_MS, signal);
      }
    }
    this.#spreading = undefined;
  }

  async #deliver(delivery: WebhookDelivery, signal: AbortSignal): Promise<void> {
    const { outcome, apply } = await attemptDelivery(this.#attempts, delivery, signal);
    await this.#parts.store.transact((tx) => {
      const current = tx.delivery(delivery.id);
      if (current === undefined) return;
      const next = apply(current);
      tx.putDelivery(next);
      if (next.state === 'gone') this.#disable(tx, next);
    });
    this.#parts.metrics.webhookAttempts.inc({ outcome });
  }

  #disable(tx: StoreTransaction, delivery: WebhookDelivery): void {
    if (delivery.noticeId === null) {
      tx.disableReceiver(delivery.accountId, delivery.url, this.#parts.clock.now());
      return;
    }
    const rule = noticeRuleOf(tx, delivery);
    if (rule !== undefined)
      tx.automation.putNoticeRule({ ...rule, isPaused: true, reason: 'the receiver answered 410' });
  }
}

/** One machine under one name: what its outage takes down together. */
const receiverOf = ({ url }: WebhookDelivery): string => (URL.canParse(url) ? new URL(url).origin : url);

/** Removes expired data at a start and every hour, and files without a record that a killed daemon left. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../../domain/clock.ts';
import { REQUEST_ID_TTL_MS } from '../../domain/limits.ts';
import { MICROSECONDS_PER_DAY, MICROSECONDS_PER_MS, MICROSECONDS_PER_SECOND } from '../../domain/time.ts';
import type { Store } from '../../store/store.ts';
import { sweepUploads } from '../submissions/unfinished-uploads.ts';
import { SERIES_SECONDS_MAX } from '../webhooks/retry-schedule.ts';

export interface SweeperParts {
  store: Store;
  clock: Clock;
  log: Logger;
  /** How long a broken-off upload is kept. */
  unfinishedUploadMs: number;
}

/** Long enough to answer "was it sent last month?". */
export const DELIVERY_DAYS_MAX = 30;
/** About 5 MB of log: a receiver that fails for a month must not fill the disk. */
export const DELIVERIES_MAX = 10_000;
const SWEEP_INTERVAL_MS = 3_600_000;
/** One transaction holds up everything else for some milliseconds. */
const BATCH_MAX = 200;

/** Resolves with the number removed; deliveries with further attempts are kept. */
export async function sweepDeliveries({ store, clock }: SweeperParts, signal: AbortSignal): Promise<number> {
  const before = clock.now() - DELIVERY_DAYS_MAX * MICROSECONDS_PER_DAY;
  let removed = 0;
  for (const { id: accountId } of store.read.accounts.all()) {
    const stale = store.read.staleDeliveryIds(accountId, { before, keepMax: DELIVERIES_MAX });
    for (let from = 0; from < stale.length && !signal.aborted; from += BATCH_MAX) {
      const batch = stale.slice(from, from + BATCH_MAX);
      removed += await store.transact((tx) => {
        const ended = batch
          .flatMap((id) => tx.deliveryUnlessDamaged(id) ?? [])
          .filter((it) => it.nextAttemptAt === null);
        for (const delivery of ended) tx.removeDelivery(delivery);
        return ended.length;
      });
      await nextTurn();
    }
  }
  return removed;
}

/** Removes request identifiers that no longer answer with their record; resolves with their number. */
export async function sweepRequests({ store, clock }: SweeperParts, signal: AbortSignal): Promise<number> {
  const before = clock.now() - REQUEST_ID_TTL_MS * MICROSECONDS_PER_MS;
  let removed = 0;
  while (!signal.aborted) {
    const batch = store.read.requestsBefore(before, BATCH_MAX);
    if (batch.length === 0) break;
    await store.transact((tx) => {
      for (const place of batch) tx.removeRequest(place);
    });
    removed += batch.length;
    await nextTurn();
  }
  return removed;
}

/** Makes deliveries due that wait longer than any retry, since a clock was ahead. Resolves with their number. */
export async function redateDeliveries({ store, clock }: SweeperParts, signal: AbortSignal): Promise<number> {
  const latest = clock.now() + SERIES_SECONDS_MAX * MICROSECONDS_PER_SECOND;
  let redated = 0;
  while (!signal.aborted) {
    const batch = await store.transact((tx) => {
      const misdated = tx.deliveriesDueAfter(latest, BATCH_MAX);
      const now = clock.now();
      for (const delivery of misdated) tx.putDelivery({ ...delivery, seriesAt: now, nextAttemptAt: now });
      return misdated.length;
    });
    redated += batch;
    if (batch < BATCH_MAX) break;
    await nextTurn();
  }
  return redated;
}

export class Sweeper implements AsyncDisposable {
  readonly #parts: SweeperParts;
  readonly #stopped = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #sweep: Promise<void>;

  constructor(parts: SweeperParts) {
    this.#parts = parts;
    this.#sweep = this.#run();
    this.#timer = setInterval(() => {
      this.#sweep = this.#sweep.then(() => this.#run());
    }, SWEEP_INTERVAL_MS);
    this.#timer.unref();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    this.#stopped.abort();
    await this.#sweep;
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    const { log } = this.#parts;
    try {
      // Uploads first, which needs no room: on a full disk the store refuses the rest, and these free it.
      const uploads = await sweepUploads(this.#parts, this.#parts.unfinishedUploadMs);
      const orphans = await this.#parts.store.sweepOrphans(this.#stopped.signal);
      const redated = await redateDeliveries(this.#parts, this.#stopped.signal);
      if (redated > 0)
        log.warn({ redated }, 'webhooks were put off by a clock that was ahead; they are due now');
      const deliveries = await sweepDeliveries(this.#parts, this.#stopped.signal);
      const requests = await sweepRequests(this.#parts, this.#stopped.signal);
      const removed = { deliveries, requests, uploads, orphans };
      if (deliveries + requests + uploads + orphans > 0) log.info(removed, 'removed what was outdated');
    } catch (error) {
      log.error({ err: error }, 'the sweep failed; it is tried again in an hour');
    }
  }
}

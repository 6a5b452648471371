/** Notes looks and downloads within a second (which a kill loses), once per person, record and way in ten minutes. */
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Alarm, Clock } from '../../domain/clock.ts';
import { holderOf } from '../../domain/desk.ts';
import type { Classification } from '../../domain/records/classification.ts';
import { MICROSECONDS_PER_MS } from '../../domain/time.ts';
import type { Store } from '../../store/store.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import type { Principal } from '../callers/principal.ts';
import { holdersOf } from '../callers/rights.ts';

export interface LookParts {
  store: Store;
  clock: Clock;
  log: Logger;
}

export type LookKind = 'looked_at' | 'downloaded';

interface Look {
  kind: LookKind;
  identifier: string;
  accountId: number;
  facade: string;
  remoteAddress: string;
}

const WINDOW_MS = 10 * 60_000;
/** No one waits for an entry, which is written within a second all the same. */
const FLUSH_MS = 500;
/** Remembered looks, so that the store need not be asked: more than people open in ten minutes. */
const REMEMBERED_MAX = 20_000;
/** More waiting looks are dropped, and the daemon's log says so. */
const WAITING_MAX = 5000;
/** Looks of one transaction, for which every answer waits: about 10 ms. */
const BATCH_MAX = 100;
/** The record's entries that are searched for one of the same person. */
const ENTRIES_MAX = 50;

export class AccessLog implements AsyncDisposable {
  readonly #parts: LookParts;
  readonly #remembered = new LRUCache<string, number>({ max: REMEMBERED_MAX });
  #waiting: Look[] = [];
  #alarm: Alarm | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(parts: LookParts) {
    this.#parts = parts;
  }

  /** Costs the caller a look into a map. */
  note(kind: LookKind, { principal, identifier }: { principal: Principal; identifier: string }): void {
    const { id: accountId } = principal.account;
    const key = `${kind}/${accountId}/${identifier}`;
    const now = this.#parts.clock.now();
    if (now - (this.#remembered.get(key) ?? Number.NEGATIVE_INFINITY) < WINDOW_MS * MICROSECONDS_PER_MS)
      return;
    this.#remembered.set(key, now);
    if (this.#waiting.length >= WAITING_MAX) {
      this.#parts.log.warn(
        { waiting: WAITING_MAX },
        'more people look at records than the custody log takes in',
      );
      return;
    }
    const { facade, remoteAddress } = principal;
    this.#waiting.push({ kind, identifier, accountId, facade, remoteAddress });
    this.#alarm ??= this.#parts.clock.after(FLUSH_MS, () => this.#begin());
  }

  async flush(): Promise<void> {
    this.#begin();
    await this.#work;
  }

  #begin(): void {
    this.#alarm?.cancel();
    this.#alarm = undefined;
    const looks = this.#waiting;
    this.#waiting = [];
    this.#work = this.#work
      .then(() => this.#write(looks))
      .catch((error: unknown) => {
        this.#parts.log.error(
          { err: error, looks: looks.length },
          'looks at records could not be written down',
        );
      });
  }

  async #write(looks: readonly Look[]): Promise<void> {
    const since = this.#parts.clock.now() - WINDOW_MS * MICROSECONDS_PER_MS;
    for (let from = 0; from < looks.length; from += BATCH_MAX) {
      await this.#parts.store.transact((tx) => {
        for (const look of looks.slice(from, from + BATCH_MAX)) append(tx, look, since);
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.flush();
  }
}

function append(tx: StoreTransaction, look: Look, since: number): void {
  const record = recordOf(tx, look);
  // The record was deleted meanwhile.
  if (record === undefined) return;
  const { kind, accountId: actor, facade, remoteAddress } = look;
  const { identifier: subject } = record;
  const recent = tx.custody.rowsOf([subject], { limit: ENTRIES_MAX });
  if (recent.some((row) => row.kind === kind && row.actor === actor && row.at >= since)) return;
  tx.log.append({ kind, subject, actor, details: { facade, remoteAddress } });
}

/** For a frame or a track: a record of its video that the account may read. */
function recordOf(tx: StoreTransaction, { identifier, accountId }: Look): Classification | undefined {
  const record = tx.records.get(identifier);
  if (record !== undefined) return record;
  const part = tx.parts.get(identifier);
  if (part === undefined) return undefined;
  const holders = holdersOf(tx, accountId);
  return tx.classificationsOfAnalysis(part.analysisId).find((sharer) => holders.includes(holderOf(sharer)));
}

/** Reads stored manifests anew under the present lists. Progress is written with each, so that a kill loses nothing. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pause } from '../../domain/clock.ts';
import { appliedLists } from '../../domain/provenance/trust-list.ts';
import {
  FIGURE_OF_OUTCOME,
  RECHECK_OUTCOMES,
  type RecheckedRecord,
  type RecheckState,
  type StoredRecheck,
  sameLists,
  type TrustRecheck,
} from '../../domain/provenance/trust-recheck.ts';
import type { Analysis } from '../../domain/records/classification.ts';
import { STORE_PAUSE_MS } from '../../machinery/due-loop.ts';
import type { TrustLists } from '../../machinery/trust/trust-lists.ts';
import { auditLine } from '../accounts/audit.ts';
import { assertMayWrite } from '../callers/authenticate.ts';
import { assertAdmin } from '../callers/authority.ts';
import type { Principal } from '../callers/principal.ts';
import { assertPageSize } from '../field-parsers.ts';
import type { RecordParts } from '../records/parts.ts';
import { isToBeReread, readAnew, writeReadAnew } from './read-anew.ts';

export interface TrustRecheckParts extends RecordParts {
  readonly trust: TrustLists;
}

/** Analyses between two turns of the event loop; results of films have some megabytes. */
const ANALYSES_AT_ONCE = 20;

export class TrustRechecks implements AsyncDisposable {
  readonly #parts: TrustRecheckParts;
  readonly #stopped = new AbortController();
  #cancelling = new AbortController();
  #work: Promise<void> = Promise.resolve();

  constructor(parts: TrustRecheckParts) {
    this.#parts = parts;
  }

  /** Continues a recheck that a stop cut off. */
  start(): void {
    const { read } = this.#parts.store;
    if (read.automation.trustRecheck()?.state === 'running') this.#begin();
  }

  /** Begins one; returns a running one instead. Administrators only. */
  async begin(principal: Principal): Promise<TrustRecheck> {
    assertMayChange(principal);
    const { store, clock, trust } = this.#parts;
    const known = store.read.automation.trustRecheck();
    if (known?.state === 'running') return known;
    const lists = appliedLists(trust.material());
    const recheck: StoredRecheck = {
      state: 'running',
      startedAt: clock.now(),
      endedAt: null,
      startedBy: principal.account.id,
      lists,
      looked: 0,
      total: store.read.analyses.count,
      cursor: '',
      unchanged: 0,
      changed: 0,
      mediaGone: 0,
      unreadable: 0,
    };
    const begun = await store.transact((tx) => {
      const other = tx.automation.trustRecheck();
      if (other?.state === 'running') return other;
      tx.automation.forgetRecheckedRecords(RECHECK_OUTCOMES);
      tx.automation.putTrustRecheck(recheck);
      tx.log.appendAudit(
        auditLine(this.#parts, principal, 'trust.recheck', 'lists', { lists: toText(recheck) }),
      );
      return recheck;
    });
    this.#begin();
    return begun;
  }

  /** Ends the running one after its present manifest; its changes stay. Administrators only. */
  async cancel(principal: Principal): Promise<TrustRecheck | null> {
    assertMayChange(principal);
    this.#cancelling.abort();
    await this.#work;
    const ended = await this.#end('cancelled', principal);
    return ended ?? this.#parts.store.read.automation.trustRecheck() ?? null;
  }

  /** Null if there was none. Administrators only. */
  current(principal: Principal): TrustRecheck | null {
    assertAdmin(principal);
    return this.#parts.store.read.automation.trustRecheck() ?? null;
  }

  /** Records whose reading changed or that could not be read anew, newest first. Administrators only. */
  records(
    principal: Principal,
    { before, limit }: { before?: number | undefined; limit: number },
  ): RecheckedRecord[] {
    assertAdmin(principal);
    assertPageSize(limit);
    return this.#parts.store.read.automation.recheckedRecords({ before, limit });
  }

  async settled(): Promise<void> {
    await this.#work;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort();
    await this.#work;
  }

  #begin(): void {
    this.#cancelling = new AbortController();
    const signal = AbortSignal.any([this.#stopped.signal, this.#cancelling.signal]);
    // Runs after the one that is ending.
    this.#work = this.#work.then(() => this.#run(signal));
  }

  /** Never rejects. */
  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (await this.#step(signal)) return;
        await nextTurn();
      } catch (error) {
        if (signal.aborted) return;
        this.#parts.log.error(
          { err: error },
          'stored manifests could not be read anew; it goes on in a moment',
        );
        await pause(this.#parts.clock, STORE_PAUSE_MS, signal);
      }
    }
  }

  /** Looks at some analyses; true if none is left. */
  async #step(signal: AbortSignal): Promise<boolean> {
    const { store, trust } = this.#parts;
    const known = store.read.automation.trustRecheck();
    if (known?.state !== 'running') return true;
    const lists = appliedLists(trust.material());
    if (!sameLists(lists, known.lists)) {
      await this.#rewind({ ...known, lists });
      return false;
    }
    const analyses = store.read.analysesAfter(known.cursor, ANALYSES_AT_ONCE);
    if (analyses.length === 0) {
      await this.#end('done', null);
      return true;
    }
    let recheck = known;
    for (const analysis of analyses) {
      if (signal.aborted) break;
      const next = { ...recheck, cursor: analysis.id, looked: recheck.looked + 1 };
      recheck = isToBeReread(analysis, lists) ? await this.#reread(analysis, next, signal) : next;
    }
    await store.transact((tx) => tx.automation.putTrustRecheck(recheck));
    return false;
  }

  /** The lists were changed meanwhile: everything is looked at again, except what the new ones judged already. */
  async #rewind(known: StoredRecheck): Promise<void> {
    const { store } = this.#parts;
    const total = store.read.analyses.count;
    const recheck = { ...known, total, cursor: '', looked: 0, mediaGone: 0, unreadable: 0 };
    await store.transact((tx) => {
      tx.automation.forgetRecheckedRecords(['media_gone', 'unreadable']);
      tx.automation.putTrustRecheck(recheck);
    });
  }

  async #reread(analysis: Analysis, next: StoredRecheck, signal: AbortSignal): Promise<StoredRecheck> {
    const { store, clock, trust, feed, metrics } = this.#parts;
    const records = store.read.classificationsOfAnalysis(analysis.id);
    if (records.length === 0) return next;
    const read = await readAnew(this.#parts, { analysis, records, trust: trust.material(), signal });
    const figure = FIGURE_OF_OUTCOME[read.outcome];
    const counted = { ...next, [figure]: next[figure] + 1 };
    const who = { actor: next.startedBy, now: clock.now() };
    const isWritten = await store.transact((tx) => {
      const isCurrent = writeReadAnew(tx, analysis, read, who);
      tx.automation.putTrustRecheck(isCurrent ? counted : next);
      return isCurrent;
    });
    if (!isWritten) return next;
    metrics.recheckedManifests.inc({ outcome: read.outcome });
    for (const record of records) feed.publishRecord(record.identifier, record);
    return counted;
  }

  /** Undefined if none runs. */
  async #end(
    state: Exclude<RecheckState, 'running'>,
    principal: Principal | null,
  ): Promise<StoredRecheck | undefined> {
    const { store, clock } = this.#parts;
    return await store.transact((tx) => {
      const known = tx.automation.trustRecheck();
      if (known?.state !== 'running') return undefined;
      const { unchanged, changed, mediaGone, unreadable } = known;
      const ended = { ...known, state, endedAt: clock.now() };
      const figures = Object.entries({ unchanged, changed, mediaGone, unreadable });
      const details = Object.fromEntries(figures.map(([name, value]) => [name, String(value)]));
      tx.automation.putTrustRecheck(ended);
      tx.log.appendAudit(auditLine(this.#parts, principal, `trust.recheck_${state}`, 'lists', details));
      return ended;
    });
  }
}

function toText({ lists }: StoredRecheck): string {
  return lists.map(({ id, sha256 }) => `${id} ${sha256}`).join(', ');
}

function assertMayChange(principal: Principal): void {
  assertMayWrite(principal);
  assertAdmin(principal);
}

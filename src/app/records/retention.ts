/** Deletes for good what a plan no longer keeps: media after `mediaDays` or zero retention, records after `recordDays`. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Account } from '../../domain/accounts/account.ts';
import type { Plan } from '../../domain/accounts/plan.ts';
import type { AuditAction } from '../../domain/custody/audit-actions.ts';
import type { Analysis, Classification } from '../../domain/records/classification.ts';
import { MICROSECONDS_PER_DAY } from '../../domain/time.ts';
import { auditLine } from '../accounts/audit.ts';
import type { Core } from '../core.ts';
import { dropMedia } from './drop-media.ts';
import { type RemovalApp, removeClassification } from './remove-records.ts';

export interface RetentionConfig {
  intervalMs: number;
}

export interface SweepCount {
  records: number;
  media: number;
}

type RetentionApp = RemovalApp & Pick<Core, 'log'>;

/** Records looked at between two turns of the event loop. */
const BATCH_MAX = 100;

export class Retention implements AsyncDisposable {
  readonly #app: RetentionApp;
  readonly #timer: NodeJS.Timeout;
  readonly #stopped = new AbortController();
  /** Per account: media of records up to this time are gone; older ones need no second look. */
  readonly #sweptUntil = new Map<number, number>();
  readonly #ended: Analysis[] = [];
  #work: Promise<unknown> = Promise.resolve();

  constructor(app: RetentionApp, { intervalMs }: RetentionConfig) {
    this.#app = app;
    this.#timer = setInterval(() => this.#enqueue(() => this.#sweepAll()), intervalMs).unref();
    this.#enqueue(() => this.#sweepAll());
  }

  /** Under zero retention the media go now, not at the next sweep. */
  noteEnded(analysis: Analysis): void {
    const { accounts } = this.#app.store.read;
    if (accounts.planUnlessDamaged(analysis.accountId)?.zeroRetention !== true) return;
    this.#ended.push(analysis);
    this.#enqueue(() => this.#dropEnded());
  }

  /** Sweeps run in turn: of two at once each would find some media, and one would end before the other's log line. */
  sweep(): Promise<SweepCount> {
    const sweep = this.#work.then(() => this.#sweepAll());
    this.#enqueue(() => sweep);
    return sweep;
  }

  async #sweepAll(): Promise<SweepCount> {
    const count: SweepCount = { records: 0, media: 0 };
    for (const account of this.#app.store.read.accounts.all()) {
      const plan = this.#app.store.read.accounts.plans.getUnlessDamaged(account.planId);
      if (plan === undefined || this.#stopped.signal.aborted) continue;
      count.records += await this.#sweepRecords(account, plan);
      count.media += await this.#sweepMedia(account, plan);
    }
    return count;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    this.#stopped.abort();
    await this.#work;
  }

  /** One after the other, never rejecting: the next sweep repeats a failed one. */
  #enqueue(work: () => Promise<unknown>): void {
    this.#work = this.#work.then(work).catch((error: unknown) => {
      this.#app.log.error({ err: error }, 'retention failed; it is tried again at the next sweep');
    });
  }

  async #dropEnded(): Promise<void> {
    for (const { id, addsTo } of this.#ended.splice(0)) {
      const owner = addsTo?.analysisId ?? id;
      for (const record of this.#app.store.read.classificationsOfAnalysis(owner))
        await dropMedia(this.#app, record);
    }
  }

  async #sweepRecords(account: Account, { recordDays }: Plan): Promise<number> {
    if (recordDays === 0) return 0;
    const createdAt = this.#app.clock.now() - recordDays * MICROSECONDS_PER_DAY;
    let removed = 0;
    while (!this.#stopped.signal.aborted) {
      const batch = this.#olderThan(account.id, { createdAt, identifier: '' });
      for (const record of batch) await removeClassification(this.#app, record, null);
      removed += batch.length;
      if (batch.length < BATCH_MAX) break;
      await nextTurn();
    }
    if (removed > 0) await this.#audit('retention.records', account, { records: removed, days: recordDays });
    return removed;
  }

  async #sweepMedia(account: Account, { mediaDays, zeroRetention }: Plan): Promise<number> {
    if (mediaDays === 0 && !zeroRetention) return 0;
    const until = this.#app.clock.now() - (zeroRetention ? 0 : mediaDays * MICROSECONDS_PER_DAY);
    const from = this.#sweptUntil.get(account.id) ?? 0;
    let removed = 0;
    let hasLeftSome = false;
    let last = { createdAt: until, identifier: '' };
    for (;;) {
      if (this.#stopped.signal.aborted) return removed;
      const batch = this.#olderThan(account.id, last).filter(({ createdAt }) => createdAt > from);
      for (const record of batch) {
        const dropped = await dropMedia(this.#app, record);
        if (dropped === 'dropped') removed += 1;
        if (dropped === 'open') hasLeftSome = true;
      }
      const oldest = batch.at(-1);
      if (oldest === undefined || batch.length < BATCH_MAX) break;
      last = oldest;
      await nextTurn();
    }
    if (!hasLeftSome) this.#sweptUntil.set(account.id, until);
    if (removed > 0) await this.#audit('retention.media', account, { media: removed, days: mediaDays });
    return removed;
  }

  #olderThan(accountId: number, before: { createdAt: number; identifier: string }): Classification[] {
    return this.#app.store.read.records.list({ accountId, before, limit: BATCH_MAX });
  }

  async #audit(action: AuditAction, account: Account, figures: Record<string, number>): Promise<void> {
    const details = Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, String(value)]));
    const line = auditLine(this.#app, null, action, account.id, {
      ...details,
      backups: 'copies stay until the backups that hold them are removed',
    });
    await this.#app.store.transact((tx) => tx.log.appendAudit(line));
  }
}

/** Writes the store, only inside Store.transact; every method keeps its indexes. */
import type { LedgerEntry } from '../domain/accounts/account.ts';
import type { WebhookDelivery } from '../domain/answers/webhook.ts';
import type { AuditEntry, AuditLine } from '../domain/custody/audit.ts';
import { holderOf } from '../domain/desk.ts';
import {
  type Analysis,
  type Classification,
  hasEnded,
  type Override,
} from '../domain/records/classification.ts';
import type { RecordExports } from '../domain/records/exported-reading.ts';
import type { PackageTimestamps } from '../domain/records/package-timestamps.ts';
import type { FoundLikeness, NearMatch } from '../domain/records/seen-before.ts';
import { checkResult, partsOf } from '../domain/verdicts/result.ts';
import { AccountWriter } from './accounts/account-writer.ts';
import type { StoreChange } from './accounts/change.ts';
import { DeskWriter } from './accounts/desks.ts';
import { type PendingNotice, sha256 } from './automation/automation-reader.ts';
import { AutomationWriter } from './automation/automation-writer.ts';
import { CustodyLog, type CustodyPlace, type RestoredFrom } from './custody/custody-log.ts';
import type { CustodyReader } from './custody/custody-reader.ts';
import type { TailMark } from './custody/custody-tail.ts';
import { endedDetails, fetchedDetails, overrideDetails, receivedDetails } from './custody/facts.ts';
import { balanceAfter, type RequestPlace, StoreReader } from './reader.ts';
import { putLikenesses, relearnLikenesses, removeLikenesses } from './records/likeness-rows.ts';
import { OuterManifestWriter } from './records/outer-manifests.ts';
import { putExports, putTimestamps } from './records/package-rows.ts';
import {
  indexAnswer,
  indexAnswersOfAnalysis,
  indexAnswersOfFile,
  indexRecord,
  readsOtherwise,
  unindexRecord,
} from './records/record-rows.ts';
import { SignOffWriter } from './records/sign-offs.ts';
import { moveWords, removeWords } from './records/word-rows.ts';
import { CLASSIFICATIONS, DELIVERIES, REQUESTS } from './tables/collections.ts';
import {
  type AcceptedRequest,
  META_KEYS,
  type PartReference,
  readMeta,
  type StoreMeta,
  type Tables,
} from './tables/schema.ts';
import { fileSubject, type StoredCheckpoint } from './tables/stored-custody.ts';

export class StoreTransaction extends StoreReader {
  #changes: StoreChange[] = [];
  override readonly accounts = new AccountWriter(this.tables, (change) => this.#changes.push(change));
  override readonly desks = new DeskWriter(this.tables);
  override readonly automation = new AutomationWriter(this.tables);
  override readonly outerManifests = new OuterManifestWriter(this.tables);
  readonly log: CustodyLog;
  readonly signOffs: SignOffWriter;

  constructor(tables: Tables, place: CustodyPlace) {
    super(tables);
    this.log = new CustodyLog(tables, place);
    this.signOffs = new SignOffWriter(tables, this.log);
  }

  /** Reads this transaction's own entries, too. */
  override get custody(): CustodyReader {
    this.log.write();
    return super.custody;
  }

  returnTo(mark: TailMark): void {
    this.#changes = [];
    this.log.returnTo(mark);
  }

  reset(): void {
    this.#changes = [];
    this.log.reset();
  }

  /** The changes since the last call. */
  takeChanges(): StoreChange[] {
    const changes = this.#changes;
    this.#changes = [];
    return changes;
  }

  putClassification(classification: Classification): void {
    const before = this.records.get(classification.identifier);
    if (before?.hash === classification.hash && before.refId === classification.refId) {
      this.tables.classifications.put(classification.identifier, classification);
    } else {
      CLASSIFICATIONS.put(this.tables, classification.identifier, classification, before);
    }
    indexAnswer(this.tables, classification);
    this.#noteArrival(before, classification);
  }

  /** Assigns a record to another analysis: its place in lists stays, and it does not count as new. */
  moveClassification(before: Classification, after: Classification): void {
    this.#removeClassification(before);
    this.tables.classifications.put(after.identifier, after);
    this.indexClassification(after);
  }

  #noteArrival(before: Classification | undefined, after: Classification): void {
    const { identifier: subject, accountId: actor } = after;
    if (before === undefined) {
      this.log.append({ kind: 'received', subject, actor, details: receivedDetails(after) });
    } else if (before.hash === '' && after.hash !== '') {
      this.log.append({ kind: 'fetched', subject, actor: null, details: fetchedDetails(after) });
    }
  }

  indexClassification(classification: Classification): void {
    indexRecord(this.tables, classification);
  }

  /** `by` is the audit line of the deletion; null if the record's time was up. */
  deleteClassification(classification: Classification, by: AuditLine | null): void {
    this.#removeClassification(classification);
    const { identifier, analysisId, kind, hash } = classification;
    const isFileNeeded = this.hasFile(holderOf(classification), kind, hash);
    if (!isFileNeeded) this.signOffs.forget(classification);
    const subjects = [identifier, analysisId, fileSubject(classification)];
    const isAnalysisNeeded = (id: string): boolean => this.hasRecordOfAnalysis(id);
    this.log.forget({ identifier, subjects, isAnalysisNeeded, isFileNeeded }, by);
  }

  #removeClassification(classification: Classification): void {
    unindexRecord(this.tables, classification);
    this.tables.classifications.remove(classification.identifier);
  }

  /** Throws if its result lacks a field or has a figure that is no number: such a record could never be read. */
  putAnalysis(analysis: Analysis): void {
    if (analysis.result !== null) checkResult(analysis.result);
    const before = this.analyses.get(analysis.id);
    if (before !== undefined && before.key !== analysis.key) this.#forgetKey(before);
    this.tables.analyses.put(analysis.id, analysis);
    this.#indexState(analysis);
    this.tables.analysesByKey.put(analysis.key, analysis.id);
    moveWords(this.tables, before, analysis);
    if (before?.state !== analysis.state) this.#noteEnd(analysis);
    if (readsOtherwise(before, analysis)) indexAnswersOfAnalysis(this.tables, analysis.id);
  }

  #noteEnd(analysis: Analysis): void {
    const { state } = analysis;
    if (state !== 'done' && state !== 'errored') return;
    this.#changes.push({ type: 'ended', analysis });
    // An analysis that adds to a result is entered under the one that has the result.
    const subject = analysis.addsTo?.analysisId ?? analysis.id;
    // Also under its records: a record that is retried later belongs to another analysis.
    const also = Array.from(this.tables.classificationsByAnalysis.under([subject]), ([, identifier]) =>
      String(identifier),
    );
    const kind = state === 'done' ? 'analysed' : 'failed';
    this.log.append({ kind, subject, actor: null, details: endedDetails(analysis), also });
  }

  /** A key finds the analysis that was last queued under it. */
  indexAnalysis(analysis: Analysis): void {
    this.#indexState(analysis);
    const holder = this.analyses.getUnlessDamaged(this.analysisIdOfKey(analysis.key) ?? '');
    if (holder !== undefined && holder.queuedAt > analysis.queuedAt) return;
    this.tables.analysesByKey.put(analysis.key, analysis.id);
  }

  #indexState(analysis: Analysis): void {
    if (hasEnded(analysis.state)) this.tables.analysesOpen.remove([analysis.queuedAt, analysis.id]);
    else this.tables.analysesOpen.put([analysis.queuedAt, analysis.id]);
    if (analysis.state === 'errored' && analysis.endedAt !== null) {
      this.tables.analysesFailed.put([analysis.endedAt, analysis.id]);
    }
  }

  deleteAnalysis(analysis: Analysis): void {
    this.removeLikenesses(analysis.id);
    this.outerManifests.remove(analysis.id);
    removeWords(this.tables, analysis);
    for (const { identifier } of partsOf(analysis.result)) this.removePart(identifier);
    this.tables.analyses.remove(analysis.id);
    if (analysis.endedAt !== null) this.tables.analysesFailed.remove([analysis.endedAt, analysis.id]);
    this.tables.analysesOpen.remove([analysis.queuedAt, analysis.id]);
    this.#forgetKey(analysis);
    indexAnswersOfAnalysis(this.tables, analysis.id);
  }

  putLikenesses(
    analysis: Pick<Analysis, 'id' | 'accountId' | 'deskId'>,
    likenesses: readonly FoundLikeness[],
    earlier: readonly NearMatch[],
    now: number,
  ): void {
    this.removeLikenesses(analysis.id);
    putLikenesses(this.tables, { id: analysis.id, holder: holderOf(analysis), likenesses, earlier, now });
  }

  /** Replaces the descriptions by which an earlier analysis is found. */
  relearnLikenesses(
    analysis: Pick<Analysis, 'id' | 'accountId' | 'deskId'>,
    likenesses: readonly FoundLikeness[],
    now: number,
  ): void {
    const of = { id: analysis.id, holder: holderOf(analysis) };
    this.#changes.push(...relearnLikenesses(this.tables, { ...of, likenesses, now }));
  }

  removeLikenesses(analysisId: string): void {
    this.#changes.push(...removeLikenesses(this.tables, analysisId));
  }

  #forgetKey({ key, id }: Analysis): void {
    if (this.analysisIdOfKey(key) === id) this.tables.analysesByKey.remove(key);
  }

  /** Notes once that the bytes of the record go, even if a kill repeats the deletion. */
  noteBytesDeleted(identifier: string): void {
    const [last] = this.custody.rowsOf([identifier], { limit: 1 });
    if (last?.kind === 'bytes_deleted') return;
    this.log.append({ kind: 'bytes_deleted', subject: identifier, actor: null, details: {} });
  }

  /** Enters what a start finds wrong with the log; `begun` says how a missing log begins. */
  openCustody(begun: string, restored?: RestoredFrom): void {
    this.log.repair();
    this.log.enterEpoch(begun, restored);
  }

  putCheckpoint(size: number, checkpoint: StoredCheckpoint): void {
    this.tables.custodyCheckpoints.put(size, checkpoint);
  }

  /** Turns an audit line from before the custody log into an entry that says so. */
  takeOverAudit(line: AuditEntry): void {
    this.log.takeOver(line);
    this.tables.audit.remove(line.sequence);
  }

  putDelivery(delivery: WebhookDelivery): void {
    const before = this.delivery(delivery.id);
    const { id, accountId } = delivery;
    DELIVERIES.put(this.tables, id, delivery, before);
    this.#changes.push({ type: 'delivery', accountId, id });
  }

  removeDelivery(delivery: WebhookDelivery): void {
    DELIVERIES.remove(this.tables, delivery.id, delivery);
  }

  disableReceiver(accountId: number, url: string, at: number): void {
    this.tables.disabledReceivers.put([accountId, sha256(url)], { accountId, url, at });
  }

  enableReceiver(accountId: number, url: string): void {
    this.tables.disabledReceivers.remove([accountId, sha256(url)]);
  }

  putPart(identifier: string, part: PartReference): void {
    this.tables.parts.put(identifier, part);
  }

  removePart(identifier: string): void {
    this.tables.parts.remove(identifier);
  }

  /** The only way credits move: one line, and the balance that it makes. */
  appendLedger(line: Omit<LedgerEntry, 'sequence'>): void {
    const balance = this.balance(line.accountId);
    const entry: LedgerEntry = { ...line, sequence: balance.sequence + 1 };
    this.tables.ledger.put([line.accountId, entry.sequence], entry);
    this.tables.balances.put(line.accountId, balanceAfter(balance, entry));
    this.#changes.push({ type: 'balance', accountId: line.accountId });
  }

  putOverride(override: Override, by: AuditLine): void {
    const { kind, hash, at } = override;
    const holder = holderOf(override);
    const before = this.override(holder, kind, hash);
    if (before !== undefined) this.signOffs.end(before, 'superseded', by.accountId);
    this.tables.overrides.put([holder, kind, hash], override);
    this.tables.overrideHistory.put([holder, kind, hash, at], override);
    indexAnswersOfFile(this.tables, override);
    const what = overrideDetails(override);
    this.log.appendAudited({ kind: 'overridden', subject: '', also: [fileSubject(override)], what }, by);
  }

  removeOverride(override: Override, by: AuditLine): void {
    this.signOffs.end(override, 'withdrawn', by.accountId);
    this.tables.overrides.remove([holderOf(override), override.kind, override.hash]);
    indexAnswersOfFile(this.tables, override);
    const what = overrideDetails(override);
    const also = [fileSubject(override)];
    this.log.appendAudited({ kind: 'override_removed', subject: '', also, what }, by);
  }

  putExports(identifier: string, exports: RecordExports): void {
    putExports(this.tables, identifier, exports);
  }

  removeExports(identifier: string): void {
    putExports(this.tables, identifier, { exports: [] });
  }

  putTimestamps(timestamps: PackageTimestamps): void {
    putTimestamps(this.tables, timestamps);
    this.#changes.push({ type: 'timestamps' });
  }

  putRequest(accountId: number, requestId: string, request: AcceptedRequest): void {
    const before = this.request(accountId, requestId);
    REQUESTS.put(this.tables, [accountId, requestId], request, before);
  }

  removeRequest({ accountId, requestId, at }: RequestPlace): void {
    REQUESTS.remove(this.tables, [accountId, requestId], { at });
  }

  putPendingNotice({ at, identifier }: PendingNotice): void {
    this.tables.pendingNotices.put([at, identifier]);
    this.#changes.push({ type: 'pending-notice' });
  }

  removePendingNotice({ at, identifier }: PendingNotice): void {
    this.tables.pendingNotices.remove([at, identifier]);
  }

  notePicturesDescribed(version: number): void {
    const meta = readMeta(this.tables);
    if (meta !== undefined) this.setMeta({ ...meta, picturesDescribed: version });
  }

  setMeta(meta: StoreMeta): void {
    for (const key of META_KEYS) this.tables.meta.put(key, meta);
  }
}

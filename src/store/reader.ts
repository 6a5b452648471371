/** Reads the store. A transaction reads the same way and sees its own writes. */
import type { Balance, LedgerEntry } from '../domain/accounts/account.ts';
import type { WebhookDelivery } from '../domain/answers/webhook.ts';
import type { AuditEntry } from '../domain/custody/audit.ts';
import { holderOf } from '../domain/desk.ts';
import type { MediaKind } from '../domain/media/media.ts';
import type { AddsTo, Analysis, Classification, Override } from '../domain/records/classification.ts';
import type { RecordExports } from '../domain/records/exported-reading.ts';
import type { PackageTimestamps } from '../domain/records/package-timestamps.ts';
import type { Likeness, NearMatches, StoredKeypoints } from '../domain/records/seen-before.ts';
import type { StoredSignOff } from '../domain/records/sign-off.ts';
import { AccountReader } from './accounts/account-reader.ts';
import { DeskReader } from './accounts/desks.ts';
import { AutomationReader, sha256 } from './automation/automation-reader.ts';
import { CustodyReader } from './custody/custody-reader.ts';
import { OuterManifestReader } from './records/outer-manifests.ts';
import { RecordReader } from './records/record-reader.ts';
import { WordReader } from './records/word-reader.ts';
import { DamagedRecordError } from './tables/codec.ts';
import type { AcceptedRequest, PartReference, Tables } from './tables/schema.ts';
import type { Rows } from './tables/table.ts';

/** A file whose finding waits for another person's answer. */
export interface WaitingFile {
  holder: number;
  kind: MediaKind;
  hash: string;
  askedAt: number;
}

const NO_BALANCE: Balance = { available: 0, spent: 0, sequence: 0 };

export function balanceAfter(
  { available, spent }: Balance,
  { reason, amount, sequence }: LedgerEntry,
): Balance {
  return { available: available + amount, spent: reason === 'grant' ? spent : spent - amount, sequence };
}

/** The key of a request identifier in its table and in the index of their times. */
export interface RequestPlace {
  accountId: number;
  requestId: string;
  at: number;
}

export class StoreReader {
  protected readonly tables: Tables;
  readonly analyses: Rows<Analysis>;
  /** By the identifiers of frames and tracks. */
  readonly parts: Rows<PartReference>;
  /** A damaged one counts as none, to which nothing can be near. */
  readonly likenesses: Rows<Likeness>;
  /** A picture that was described for searches by a part is there, even if it has too little detail for one. */
  readonly keypoints: Rows<StoredKeypoints>;
  readonly nearMatches: Rows<NearMatches>;
  readonly accounts: AccountReader;
  readonly desks: DeskReader;
  readonly automation: AutomationReader;
  readonly records: RecordReader;
  readonly words: WordReader;
  readonly #custody: CustodyReader;
  readonly outerManifests: OuterManifestReader;

  constructor(tables: Tables) {
    this.tables = tables;
    this.analyses = tables.analyses;
    this.parts = tables.parts;
    this.likenesses = tables.likenesses;
    this.keypoints = tables.keypoints;
    this.nearMatches = tables.nearMatches;
    this.accounts = new AccountReader(tables);
    this.desks = new DeskReader(tables);
    this.automation = new AutomationReader(tables);
    this.records = new RecordReader(tables);
    this.words = new WordReader(tables);
    this.#custody = new CustodyReader(tables);
    this.outerManifests = new OuterManifestReader(tables);
  }

  get custody(): CustodyReader {
    return this.#custody;
  }

  /** The newest analysis with the key. Work whose entry is damaged is done anew, and paid for anew. */
  analysisIdOfKey(key: string): string | undefined {
    return this.tables.analysesByKey.getUnlessDamaged(key);
  }

  /** Queued and running analyses, oldest first; damaged ones, on which nothing can be done, are left out. */
  *openAnalyses(): Generator<Analysis> {
    for (const key of this.tables.analysesOpen.under([])) {
      const analysis = this.analyses.getUnlessDamaged(String(key[1]));
      if (analysis !== undefined) yield analysis;
    }
  }

  /** The analyses that ended with a result; damaged ones are left out. */
  *doneAnalyses(): Generator<Analysis> {
    for (const analysis of this.tables.analyses.values()) if (analysis.state === 'done') yield analysis;
  }

  /** At most `limit` of every state in the order of their identifiers, damaged ones left out; `total` counts all. */
  analysesAfter(id: string, limit: number): Analysis[] {
    return this.tables.analyses.after(id, limit).map(({ value }) => value);
  }

  /** Errored analyses, newest first. */
  *failedAnalyses(): Generator<Analysis> {
    for (const key of this.tables.analysesFailed.underReversed([])) {
      const analysis = this.analyses.getUnlessDamaged(String(key[1]));
      if (analysis !== undefined) yield analysis;
    }
  }

  /** For work that adds to a result, only the record that asked for it. */
  classificationsOfAnalysis(analysisId: string): Classification[] {
    const own = this.#load(this.tables.classificationsByAnalysis.under([analysisId]));
    if (own.length > 0) return own;
    const asking = this.records.getUnlessDamaged(this.#addsTo(analysisId)?.identifier ?? '');
    return asking === undefined ? [] : [asking];
  }

  #addsTo(analysisId: string): AddsTo | undefined {
    return this.tables.analyses.getUnlessDamaged(analysisId)?.addsTo;
  }

  classificationsOfHash(holder: number, kind: MediaKind, hash: string): Classification[] {
    return this.#load(this.tables.classificationsByHash.under([hash, holder, kind]));
  }

  /** Unreadable rows of the holder's records of the file. */
  damagedOfHash(holder: number, kind: MediaKind, hash: string): string[] {
    const keys = this.tables.classificationsByHash.under([hash, holder, kind]);
    return Array.from(keys, (key) => String(key.at(-1))).filter((one) => this.records.isDamaged(one));
  }

  /** The records that share the analysis, and those of every account and kind with these bytes, read lazily. */
  *sharers({ analysisId, hash }: Pick<Classification, 'analysisId' | 'hash'>): Generator<Classification> {
    yield* this.#walk(this.tables.classificationsByAnalysis.under([analysisId]));
    if (hash !== '') yield* this.#walk(this.tables.classificationsByHash.under([hash]));
  }

  /** Whether any record of any account still needs the bytes. */
  hasBlobReference(hash: string): boolean {
    return this.tables.classificationsByHash.hasUnder([hash]);
  }

  /** Whether the holder has a record of the file, also a damaged one. */
  hasFile(holder: number, kind: MediaKind, hash: string): boolean {
    return this.tables.classificationsByHash.hasUnder([hash, holder, kind]);
  }

  /** Whether any record, also a damaged one, still needs the analysis. */
  hasRecordOfAnalysis(analysisId: string): boolean {
    const { classificationsByAnalysis } = this.tables;
    if (classificationsByAnalysis.hasUnder([analysisId])) return true;
    const adds = this.#addsTo(analysisId);
    return adds !== undefined && classificationsByAnalysis.hasUnder([adds.analysisId]);
  }

  /** Hashes with this prefix that a record of any account needs. */
  blobHashesStartingWith(text: string): Set<string> {
    return new Set(
      Array.from(this.tables.classificationsByHash.startingWith(text), ([hash]) => String(hash)),
    );
  }

  /** Newest first, those before the sequence number if one is given. */
  audit({ before, limit }: { before?: number | undefined; limit: number }): AuditEntry[] {
    return this.custody.audit({ before, limit });
  }

  delivery(id: string): WebhookDelivery | undefined {
    return this.tables.deliveries.get(id);
  }

  /** Like `delivery`, for lists and the loop: an unreadable one cannot be sent. */
  deliveryUnlessDamaged(id: string): WebhookDelivery | undefined {
    return this.tables.deliveries.getUnlessDamaged(id);
  }

  /** Newest first. */
  deliveries(
    accountId: number,
    { before, limit }: { before?: { createdAt: number; id: string } | undefined; limit: number },
  ): WebhookDelivery[] {
    const last = before === undefined ? undefined : [accountId, before.createdAt, before.id];
    const found: WebhookDelivery[] = [];
    for (const key of this.tables.deliveriesByAccount.underReversed([accountId], last)) {
      if (found.length >= limit) break;
      const delivery = this.deliveryUnlessDamaged(String(key.at(-1)));
      if (delivery !== undefined) found.push(delivery);
    }
    return found;
  }

  /** Ids of the account's deliveries that are older than `before` or not among the newest `keepMax`, newest first. */
  staleDeliveryIds(accountId: number, { before, keepMax }: { before: number; keepMax: number }): string[] {
    const stale: string[] = [];
    let seen = 0;
    for (const [, createdAt, id] of this.tables.deliveriesByAccount.underReversed([accountId])) {
      seen += 1;
      if (seen > keepMax || Number(createdAt) < before) stale.push(String(id));
    }
    return stale;
  }

  /** Deliveries whose next attempt is due, the one that waits longest first; those behind `after` if one is given. */
  dueDeliveries(now: number, limit: number, after?: WebhookDelivery): WebhookDelivery[] {
    const found: WebhookDelivery[] = [];
    const last = after === undefined ? undefined : [after.nextAttemptAt ?? 0, after.id];
    for (const [dueAt, id] of this.tables.deliveriesDue.under([], last)) {
      if (Number(dueAt) > now || found.length >= limit) break;
      const delivery = this.deliveryUnlessDamaged(String(id));
      if (delivery !== undefined) found.push(delivery);
    }
    return found;
  }

  /** Deliveries whose next attempt lies behind that time, the latest first. */
  deliveriesDueAfter(after: number, limit: number): WebhookDelivery[] {
    const found: WebhookDelivery[] = [];
    for (const [dueAt, id] of this.tables.deliveriesDue.underReversed([])) {
      if (Number(dueAt) <= after || found.length >= limit) break;
      const delivery = this.deliveryUnlessDamaged(String(id));
      // A stale row of a damaged index is no due delivery: dating it anew would not remove the row.
      if (delivery !== undefined && delivery.nextAttemptAt === dueAt) found.push(delivery);
    }
    return found;
  }

  /** When the next delivery is due; undefined if none waits. */
  nextDeliveryAt(): number | undefined {
    for (const [dueAt, id] of this.tables.deliveriesDue.under([])) {
      if (this.deliveryUnlessDamaged(String(id)) !== undefined) return Number(dueAt);
    }
    return undefined;
  }

  /** Decided by the key alone: a receiver that wants nothing more gets nothing more, even if its entry is damaged. */
  isReceiverDisabled(accountId: number, url: string): boolean {
    return this.tables.disabledReceivers.has([accountId, sha256(url)]);
  }

  /** Every override of the file by the holder, the last one included, oldest first. */
  overrideHistory(holder: number, kind: MediaKind, hash: string): Override[] {
    const start = [holder, kind, hash, 0];
    return [...this.tables.overrideHistory.values(start, [holder, kind, hash, Number.MAX_SAFE_INTEGER])];
  }

  /** Sign-off of a finding. A damaged one reads as none, which lets no one read or do more than before. */
  signOff(finding: Override): StoredSignOff | undefined {
    const { kind, hash, at } = finding;
    return this.tables.signOffs.getUnlessDamaged([holderOf(finding), kind, hash, at]);
  }

  /** The files whose findings wait for another person's answer, of one holder or of all; at most `limit`. */
  filesOfOpenSignOffs(only: number | null, limit: number): WaitingFile[] {
    const files: WaitingFile[] = [];
    for (const key of this.tables.signOffsOpen.under(only === null ? [] : [only])) {
      if (files.length >= limit) break;
      const [holder, askedAt, kind, hash] = key;
      const file = { holder: Number(holder), kind: kind as MediaKind, hash: String(hash) };
      files.push({ ...file, askedAt: Number(askedAt) });
    }
    return files;
  }

  /** Undefined if the record was never exported; the same object until the next export. */
  exportsOf(identifier: string): RecordExports | undefined {
    return this.tables.exports.getUnlessDamaged(identifier);
  }

  /** Undefined if no authority was asked; the same object until one answers. */
  timestampsOf(packageSha256: string): PackageTimestamps | undefined {
    return this.tables.timestamps.getUnlessDamaged(packageSha256);
  }

  /** When and for which packages authorities are asked next, the longest wait first. */
  *timestampsDue(): Generator<{ dueAt: number; packageSha256: string }> {
    for (const [dueAt, packageSha256] of this.tables.timestampsDue.under([])) {
      yield { dueAt: Number(dueAt), packageSha256: String(packageSha256) };
    }
  }

  /** A damaged balance is added up again from the ledger. Throws if a line is damaged too. */
  balance(accountId: number): Balance {
    const known = this.tables.balances.getUnlessDamaged(accountId);
    if (known !== undefined) return known;
    return this.tables.balances.has(accountId) ? this.#addUp(accountId) : NO_BALANCE;
  }

  #addUp(accountId: number): Balance {
    const range = [[accountId], [accountId, Number.MAX_SAFE_INTEGER]] as const;
    let balance = NO_BALANCE;
    for (const { value } of this.tables.ledger.entries([...range[0]], [...range[1]])) {
      if (value === undefined) throw new DamagedRecordError('balances', accountId);
      balance = balanceAfter(balance, value);
    }
    return balance;
  }

  ledger(accountId: number): LedgerEntry[] {
    return [...this.tables.ledger.values([accountId], [accountId, Number.MAX_SAFE_INTEGER])];
  }

  /** Newest first, those before the sequence number if one is given; sequences have no gaps. */
  ledgerPage(
    accountId: number,
    { before, limit }: { before?: number | undefined; limit: number },
  ): LedgerEntry[] {
    const end = Math.min(before ?? Number.MAX_SAFE_INTEGER, this.balance(accountId).sequence + 1);
    return [...this.tables.ledger.values([accountId, Math.max(1, end - limit)], [accountId, end])].reverse();
  }

  override(holder: number, kind: MediaKind, hash: string): Override | undefined {
    return this.tables.overrides.get([holder, kind, hash]);
  }

  /** Like `override`, for callers that look at many: an unreadable finding waits for no answer. */
  overrideUnlessDamaged(holder: number, kind: MediaKind, hash: string): Override | undefined {
    return this.tables.overrides.getUnlessDamaged([holder, kind, hash]);
  }

  /** At most `limit` later ones, in their order. */
  likenessesAfter(sequence: number, limit: number): { sequence: number; likeness: Likeness }[] {
    const found = this.tables.likenesses.after(sequence, limit);
    return found.map(({ key, value }) => ({ sequence: Number(key), likeness: value }));
  }

  /** At most `limit` later ones, in their order. */
  keypointsAfter(sequence: number, limit: number): { sequence: number; keypoints: StoredKeypoints }[] {
    const found = this.tables.keypoints.after(sequence, limit);
    return found.map(({ key, value }) => ({ sequence: Number(key), keypoints: value }));
  }

  request(accountId: number, requestId: string): AcceptedRequest | undefined {
    return this.tables.requests.get([accountId, requestId]);
  }

  /** Accepted requests older than `before`, oldest first, damaged ones too. */
  requestsBefore(before: number, limit: number): RequestPlace[] {
    const found: RequestPlace[] = [];
    for (const [at, accountId, requestId] of this.tables.requestsByTime.under([])) {
      if (Number(at) >= before || found.length >= limit) break;
      found.push({ accountId: Number(accountId), requestId: String(requestId), at: Number(at) });
    }
    return found;
  }

  #load(keys: Iterable<readonly unknown[]>): Classification[] {
    return [...this.#walk(keys)];
  }

  /** One damaged record must not hide all others from a list; asked for by its identifier it is refused. */
  *#walk(keys: Iterable<readonly unknown[]>): Generator<Classification> {
    for (const key of keys) {
      const found = this.tables.classifications.getUnlessDamaged(String(key.at(-1)));
      if (found !== undefined) yield found;
    }
  }
}

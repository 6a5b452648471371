/** The custody log as it is written, in the fact's transaction: a handful of small writes and two hashes an entry. */
import { randomBytes } from 'node:crypto';
import type { AuditEntry, AuditLine } from '../../domain/custody/audit.ts';
import { type CustodyDetails, commitTo, encodeEntry, SALT_BYTES } from '../../domain/custody/entry.ts';
import { aboutOf, type CustodyKind, type FactKind, kindOfAction } from '../../domain/custody/kinds.ts';
import { appendLeaf, leafHashOf, rootOf } from '../../domain/custody/merkle-tree.ts';
import type { Tables } from '../tables/schema.ts';
import { AUDIT_SUBJECT, accessSubjectOf, type CustodyHead, EPOCH_KEY } from '../tables/stored-custody.ts';
import { CustodyReader } from './custody-reader.ts';
import { CustodyTail, type TailMark, type UnwrittenEntry } from './custody-tail.ts';
import { findDisagreement, NEW_HEAD } from './head-repair.ts';
import { EPOCH_SUBJECT, SEGMENT_SUBJECT, subjectsOfEntry } from './reindex.ts';
import { formatRanges } from './sequence-ranges.ts';

export interface CustodyFact {
  kind: CustodyKind;
  subject: string;
  actor: number | null;
  details: CustodyDetails;
  /** Further subjects that the entry is found under; not chained. */
  also?: readonly string[];
  /** Time of the fact if it is older than the chain; now otherwise. */
  at?: number;
}

export interface CustodyPlace {
  /** Microseconds since 1970. */
  now: () => number;
  inode: number;
}

export interface RestoredFrom {
  restoredAt: string;
  backupCreatedAt: string;
  operator: string;
}

/** What goes with a record's deletion. */
export interface Forgotten {
  identifier: string;
  subjects: readonly string[];
  /** Whether another record still needs the analysis. */
  isAnalysisNeeded: (analysisId: string) => boolean;
  /** Whether another record of the account has the file. */
  isFileNeeded: boolean;
}

const EPOCH_BYTES = 16;
/** Drawing one salt costs as much as drawing a hundred. */
const SALTS_AT_ONCE = 64;

export class CustodyLog {
  readonly #tables: Tables;
  readonly #place: CustodyPlace;
  readonly #reader: CustodyReader;
  readonly #tail: CustodyTail;
  #salts: Uint8Array = new Uint8Array();

  constructor(tables: Tables, place: CustodyPlace) {
    this.#tables = tables;
    this.#place = place;
    this.#reader = new CustodyReader(tables);
    this.#tail = new CustodyTail(tables);
  }

  /** A reader that sees what this transaction appended. */
  get #read(): CustodyReader {
    this.write();
    return this.#reader;
  }

  write(): void {
    this.#tail.write();
  }

  mark(): TailMark {
    return this.#tail.mark();
  }

  returnTo(mark: TailMark): void {
    this.#tail.returnTo(mark);
  }

  reset(): void {
    this.#tail.reset();
  }

  /** Returns the entry's sequence. */
  append(fact: CustodyFact): number {
    return this.#appendTo(this.#head(), fact);
  }

  #appendTo(head: CustodyHead, fact: CustodyFact): number {
    const { kind, subject, actor, details, also = [], at = this.#place.now() } = fact;
    const { size: sequence, last: previous } = head;
    const text = JSON.stringify(details);
    const salt = this.#drawSalt();
    const commitment = commitTo(text, salt);
    const line = encodeEntry({ sequence, at, kind, subject, actor, commitment, previous });
    const leaf = leafHashOf(line);
    const peaks = head.peaks.map(toBuffer);
    const nodes: UnwrittenEntry['nodes'][number][] = [];
    const grown = appendLeaf({ size: sequence, peaks }, leaf, (level, index, hash) =>
      nodes.push({ level, index, hash }),
    );
    const subjects = [subject, ...also].filter((name) => name !== '');
    const last = leaf.toString('hex');
    this.#tail.push(
      { sequence, line, details: { salt, details: text }, nodes, subjects },
      { size: grown.size, last, peaks: [...grown.peaks] },
    );
    return sequence;
  }

  #drawSalt(): Uint8Array {
    if (this.#salts.length === 0) this.#salts = randomBytes(SALT_BYTES * SALTS_AT_ONCE);
    const salt = this.#salts.subarray(0, SALT_BYTES);
    this.#salts = this.#salts.subarray(SALT_BYTES);
    return salt;
  }

  /** A head that was damaged meanwhile is repaired as at a start. */
  #head(): CustodyHead {
    const head = this.#tail.head ?? this.#read.head();
    if (head !== undefined) return head;
    this.repair();
    return this.#tail.head ?? NEW_HEAD;
  }

  /** Opens a segment if the head and the last entry disagree. */
  repair(): void {
    const found = findDisagreement(this.#read);
    if (found === null) return;
    const details = { what: { reason: found.reason } };
    this.#appendTo(found.head, {
      kind: 'segment_opened',
      subject: '',
      actor: null,
      details,
      also: [SEGMENT_SUBJECT],
    });
  }

  /** Opens an epoch if there is none, if the folder was restored, or if it was copied or moved. */
  enterEpoch(begun: string, restored?: RestoredFrom): void {
    const epoch = this.#read.epoch();
    const { inode } = this.#place;
    if (restored !== undefined && restored.restoredAt !== epoch?.restoredAt) {
      this.#openEpoch('restored from a backup', restored);
    } else if (epoch === undefined) {
      this.#openEpoch(begun);
    } else if (epoch.inode !== inode) {
      this.#openEpoch('the data folder was copied or moved');
    }
  }

  #openEpoch(reason: string, restored?: RestoredFrom): void {
    const head = this.#head();
    const id = randomBytes(EPOCH_BYTES).toString('hex');
    const root = rootOf(head.peaks.map(toBuffer)).toString('base64');
    const before = this.#read.epoch()?.id ?? null;
    const what = { reason, size: head.size, root, before, ...restored };
    const fact = { kind: 'epoch_opened', subject: id, actor: null, details: { what } } as const;
    const sequence = this.append({ ...fact, also: [EPOCH_SUBJECT] });
    const { inode } = this.#place;
    const restoration = restored === undefined ? {} : { restoredAt: restored.restoredAt };
    this.#tables.custodyHead.put(EPOCH_KEY, { id, sequence, inode, ...restoration });
  }

  /** A line of the audit log: an entry under its action, or under the kind of fact that the action is. */
  appendAudit(line: AuditLine): number {
    const kind = kindOfAction(line.action);
    const subject = aboutOf(kind) === 'record' ? line.target : '';
    return this.appendAudited({ kind, subject }, line);
  }

  /** A fact that an account brought about; the audit log shows it too. */
  appendAudited(
    fact: Pick<CustodyFact, 'kind' | 'subject'> & { also?: readonly string[]; what?: object },
    { accountId: actor, facade, remoteAddress, target, details: said }: AuditLine,
  ): number {
    const { kind, subject, also = [], what } = fact;
    const details: CustodyDetails = {
      ...(facade === null ? {} : { facade }),
      ...(remoteAddress === null ? {} : { remoteAddress }),
      target,
      details: said,
      ...(what === undefined ? {} : { what: { ...what } }),
    };
    const access = accessSubjectOf(kind, target, said);
    return this.append({ kind, subject, actor, details, also: [AUDIT_SUBJECT, access, ...also] });
  }

  /** An audit line from before the chain. */
  takeOver({ at, accountId: actor, facade, remoteAddress, action, target, details }: AuditEntry): void {
    const known = {
      ...(facade === null ? {} : { facade }),
      ...(remoteAddress === null ? {} : { remoteAddress }),
      target,
      details,
      what: { action },
    };
    const subject = aboutOf(kindOfAction(action)) === 'record' ? target : '';
    const also = [AUDIT_SUBJECT, accessSubjectOf(action, target, details)];
    this.append({ kind: 'taken_over', subject, actor, at, details: known, also });
  }

  /** Indexes the entries from `from` on, before `end`; existing index rows stay. */
  index(from: number, end: number): void {
    for (let sequence = from; sequence < end; sequence += 1) {
      const row = this.#read.row(sequence);
      if (row === undefined) continue;
      for (const subject of subjectsOfEntry(row)) this.#tables.custodyBySubject.put([subject, sequence]);
    }
  }

  /** Writes the entry of a deletion, and deletes the details that go with it. */
  forget(forgotten: Forgotten, by: AuditLine | null): void {
    const gone = this.#goneWith(forgotten);
    const what = { entries: formatRanges(gone) };
    const fact = { kind: 'deleted' as const, subject: forgotten.identifier };
    const sequence =
      by === null
        ? this.append({ ...fact, actor: null, details: { what } })
        : this.appendAudited({ ...fact, what }, by);
    this.#deleteDetails(gone, sequence);
  }

  /** Deletes the details of these entries and records that, except details that verify other entries. */
  redact(sequences: readonly number[], by: AuditLine): number[] {
    const gone = sequences.filter((sequence) => {
      const entry = this.#read.entry(sequence);
      return entry !== undefined && !KEPT_KINDS.includes(entry.kind) && this.#hasDetails(sequence);
    });
    if (gone.length === 0) return [];
    const what = { entries: formatRanges(gone) };
    this.#deleteDetails(gone, this.appendAudited({ kind: 'redacted', subject: '', what }, by));
    return gone;
  }

  #goneWith({ identifier, subjects, isAnalysisNeeded, isFileNeeded }: Forgotten): number[] {
    const gone: number[] = [];
    for (const sequence of this.#read.sequencesOf(subjects)) {
      const entry = this.#read.entry(sequence);
      if (entry === undefined || KEPT_KINDS.includes(entry.kind) || !this.#hasDetails(sequence)) continue;
      const about = entry.kind === 'taken_over' ? 'record' : aboutOf(entry.kind);
      const isGone =
        (about === 'record' && entry.subject === identifier) ||
        (about === 'analysis' && !isAnalysisNeeded(entry.subject)) ||
        (about === 'file' && !isFileNeeded);
      if (isGone) gone.push(sequence);
    }
    return gone;
  }

  #hasDetails(sequence: number): boolean {
    const stored = this.#read.details(sequence);
    return stored === 'damaged' || (stored !== undefined && !('by' in stored));
  }

  #deleteDetails(sequences: readonly number[], by: number): void {
    const deletedAt = this.#place.now();
    for (const sequence of sequences) this.#tables.custodyDetails.put(sequence, { deletedAt, by });
  }
}

/** Kinds whose details say what became of other entries, and hold nothing of a record. */
const KEPT_KINDS: readonly string[] = [
  'deleted',
  'redacted',
  'epoch_opened',
  'segment_opened',
] satisfies FactKind[];

const toBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);

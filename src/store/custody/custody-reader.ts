/** Reads the custody log: entries with their details, by record, and the hashes that proofs consist of. */
import type { AuditEntry } from '../../domain/custody/audit.ts';
import { type CustodyDetails, type CustodyEntry, parseEntry } from '../../domain/custody/entry.ts';
import { actionOf } from '../../domain/custody/kinds.ts';
import { HASH_BYTES, leafHashOf, nodeHashOf, type ReadSubtree } from '../../domain/custody/merkle-tree.ts';
import type { FacadeName } from '../../domain/records/classification.ts';
import { formatTime } from '../../domain/time.ts';
import type { Tables } from '../tables/schema.ts';
import {
  AUDIT_SUBJECT,
  type CustodyEpoch,
  type CustodyHead,
  EPOCH_KEY,
  HEAD_KEY,
  type StoredCheckpoint,
  type StoredDetails,
} from '../tables/stored-custody.ts';

/** An entry for a reader: the chained line, its contents, and what lies beside it. */
export interface CustodyRow extends CustodyEntry {
  line: string;
  /** Null if they were deleted, or are damaged. */
  details: CustodyDetails | null;
  /** Salt of the commitment, hexadecimal; null if the details are there. */
  salt: string | null;
  /** Exactly the bytes that were committed to; null if the details are null. */
  detailsJson: string | null;
  detailsDeletedAt: number | null;
}

/** Replaces a hash that damage took. */
const UNKNOWN_HASH = Buffer.alloc(HASH_BYTES);

export class CustodyReader {
  readonly #tables: Tables;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  /** Undefined before the first entry, and if it is damaged. */
  head(): CustodyHead | undefined {
    const head = this.#tables.custodyHead.getUnlessDamaged(HEAD_KEY) as CustodyHead | undefined;
    return head !== undefined && isHead(head) ? head : undefined;
  }

  get size(): number {
    return this.head()?.size ?? this.entryCount;
  }

  /** One more than the last entry's sequence, whatever the head says. */
  get entryCount(): number {
    const last = this.#tables.custodyEntries.lastKey();
    return last === undefined ? 0 : Number(last) + 1;
  }

  epoch(): CustodyEpoch | undefined {
    return this.#tables.custodyHead.getUnlessDamaged(EPOCH_KEY) as CustodyEpoch | undefined;
  }

  /** The chained bytes; undefined if they are missing or damaged. */
  line(sequence: number): string | undefined {
    return this.#tables.custodyEntries.getUnlessDamaged(sequence);
  }

  entry(sequence: number): CustodyEntry | undefined {
    return parseEntry(this.line(sequence));
  }

  /** Undefined if they are missing; damaged ones are `'damaged'`. */
  details(sequence: number): StoredDetails | 'damaged' | undefined {
    const { custodyDetails } = this.#tables;
    return (
      custodyDetails.getUnlessDamaged(sequence) ?? (custodyDetails.has(sequence) ? 'damaged' : undefined)
    );
  }

  /** Undefined if there is no such entry, or it is damaged. */
  row(sequence: number): CustodyRow | undefined {
    const line = this.line(sequence);
    const entry = parseEntry(line);
    if (line === undefined || entry === undefined) return undefined;
    const stored = this.details(sequence);
    const none = { details: null, salt: null, detailsJson: null, detailsDeletedAt: null };
    if (stored === undefined || stored === 'damaged') return { ...entry, line, ...none };
    if ('by' in stored) return { ...entry, line, ...none, detailsDeletedAt: stored.deletedAt };
    const salt = Buffer.from(stored.salt).toString('hex');
    const { details: detailsJson } = stored;
    const details = JSON.parse(detailsJson) as CustodyDetails;
    return { ...entry, line, details, salt, detailsJson, detailsDeletedAt: null };
  }

  /** Newest first, without damaged ones; those before the sequence if one is given. */
  last({ before, limit }: { before?: number | undefined; limit: number }): CustodyRow[] {
    const rows: CustodyRow[] = [];
    for (
      let sequence = (before ?? this.entryCount) - 1;
      sequence >= 0 && rows.length < limit;
      sequence -= 1
    ) {
      const row = this.row(sequence);
      if (row !== undefined) rows.push(row);
    }
    return rows;
  }

  /** Sequences of the entries under any of the subjects, newest first. */
  *sequencesOf(subjects: readonly string[], before?: number): Generator<number> {
    const walks = subjects.map((subject) => this.#sequencesUnder(subject, before));
    const next = walks.map((walk) => walk.next().value);
    let last: number | undefined;
    for (;;) {
      const newest = Math.max(...next.map((sequence) => sequence ?? -1));
      if (newest < 0) return;
      if (newest !== last) yield newest;
      last = newest;
      const at = next.indexOf(newest);
      next[at] = walks[at]?.next().value;
    }
  }

  *#sequencesUnder(subject: string, before?: number): Generator<number, undefined> {
    const last = before === undefined ? undefined : [subject, before];
    for (const key of this.#tables.custodyBySubject.underReversed([subject], last)) yield Number(key[1]);
  }

  /** Newest first, without damaged ones. */
  rowsOf(
    subjects: readonly string[],
    { before, limit }: { before?: number | undefined; limit: number },
  ): CustodyRow[] {
    const rows: CustodyRow[] = [];
    for (const sequence of this.sequencesOf(subjects, before)) {
      if (rows.length >= limit) break;
      const row = this.row(sequence);
      if (row !== undefined) rows.push(row);
    }
    return rows;
  }

  /** The audit log: what accounts and administrators did, newest first. */
  audit(page: { before?: number | undefined; limit: number }): AuditEntry[] {
    return this.rowsOf([AUDIT_SUBJECT], page).map(toAuditEntry);
  }

  /** For a damaged or missing entry: the predecessor's hash that the next entry names. */
  leafHash(sequence: number): Buffer | undefined {
    const line = this.line(sequence);
    if (line !== undefined) return leafHashOf(line);
    const head = this.head();
    const named = sequence + 1 === head?.size ? head.last : this.entry(sequence + 1)?.previous;
    return named === undefined ? undefined : Buffer.from(named, 'hex');
  }

  /** A damaged subtree is computed from those below it. */
  readonly subtree: ReadSubtree = (level, index) => {
    if (level === 0) return this.leafHash(index) ?? UNKNOWN_HASH;
    const stored = this.storedSubtree(level, index);
    if (stored !== undefined) return stored;
    return nodeHashOf(this.subtree(level - 1, 2 * index), this.subtree(level - 1, 2 * index + 1));
  };

  storedSubtree(level: number, index: number): Buffer | undefined {
    const stored = this.#tables.custodyNodes.getUnlessDamaged([level, index]);
    return stored === undefined ? undefined : Buffer.from(stored);
  }

  /** In order of their sizes. */
  checkpoints(): Generator<{ key: unknown; value: StoredCheckpoint | undefined }> {
    return this.#tables.custodyCheckpoints.entries();
  }

  checkpoint(size: number): StoredCheckpoint | undefined {
    return this.#tables.custodyCheckpoints.getUnlessDamaged(size);
  }

  /** Newest first. */
  recentCheckpoints(limit: number): StoredCheckpoint[] {
    return this.#tables.custodyCheckpoints.last(undefined, limit);
  }

  lastCheckpointSize(): number {
    return Number(this.#tables.custodyCheckpoints.lastKey() ?? 0);
  }
}

/** A tree has a peak for each binary digit of its size that is 1; with another number no entry could be appended. */
function isHead({ size, peaks }: CustodyHead): boolean {
  return peaks.length === size.toString(2).replaceAll('0', '').length;
}

/** An audit line whose details were deleted says so, and keeps what it was and who did it. */
function toAuditEntry({ sequence, at, kind, actor, details, detailsDeletedAt }: CustodyRow): AuditEntry {
  const older = kind === 'taken_over' ? String(details?.what?.action ?? kind) : actionOf(kind);
  const deleted = detailsDeletedAt === null ? {} : { detailsDeleted: formatTime(detailsDeletedAt) };
  return {
    sequence,
    at,
    accountId: actor,
    facade: (details?.facade as FacadeName | 'dashboard' | undefined) ?? null,
    remoteAddress: details?.remoteAddress ?? null,
    action: older,
    target: details?.target ?? '',
    details: { ...details?.details, ...deleted },
  };
}

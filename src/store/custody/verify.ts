/** Reads a whole custody log: each entry against its predecessor, details and tree, checkpoints against tree and keys. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CustodyReport } from '../../domain/contract/custody.ts';
import { isSignedBy, parseCheckpoint } from '../../domain/custody/checkpoint.ts';
import {
  type CustodyDetails,
  type CustodyEntry,
  holdsCommitment,
  parseEntry,
} from '../../domain/custody/entry.ts';
import {
  appendLeaf,
  EMPTY_FRONTIER,
  type Frontier,
  leafHashOf,
  readFrontier,
  rootOf,
} from '../../domain/custody/merkle-tree.ts';
import { EPOCH_KEY, type StoredCheckpoint } from '../tables/stored-custody.ts';
import type { CustodyReader } from './custody-reader.ts';
import { isInRanges } from './sequence-ranges.ts';

export interface VerifyOptions {
  /** Raw Ed25519 public keys of the box, older ones too; null leaves signatures unjudged. */
  publicKeys: readonly Uint8Array[] | null;
  signal: AbortSignal;
}

/** People read these; a log that is cut in the middle has one fault, one on a failing disk has thousands. */
const FAULTS_MAX = 20;
/** An epoch is a restore or a copy; more of them are counted only. */
const EPOCHS_MAX = 100;
/** Entries between two turns of the event loop: about 5 ms, for which every answer waits. */
const ENTRIES_PER_TURN = 200;
/** Entries that name deleted ones, kept parsed: a sweep's deletions name neighbours. */
const DELETIONS_MAX = 1000;

export async function verifyCustody(custody: CustodyReader, options: VerifyOptions): Promise<CustodyReport> {
  const verification = new Verification(custody, options.publicKeys);
  for (let from = 0; from < verification.size; from += ENTRIES_PER_TURN) {
    const end = Math.min(from + ENTRIES_PER_TURN, verification.size);
    for (let sequence = from; sequence < end; sequence += 1) verification.visit(sequence);
    await nextTurn();
    options.signal.throwIfAborted();
  }
  return verification.finish();
}

class Verification {
  readonly size: number;
  readonly #custody: CustodyReader;
  readonly #publicKeys: readonly Uint8Array[] | null;
  readonly #head: ReturnType<CustodyReader['head']>;
  readonly #checkpoints: Map<number, StoredCheckpoint | undefined>;
  readonly #deletions = new Map<number, string>();
  readonly #report: Omit<CustodyReport, 'size' | 'root' | 'isWhole'> = {
    epochs: [],
    detailsDeleted: 0,
    olderLines: 0,
    checkpoints: 0,
    faults: [],
    faultCount: 0,
  };
  /** Frontier of the entries so far; that of the stored subtrees if an entry could not be read. */
  #frontier: Frontier = EMPTY_FRONTIER;
  /** Leaf hash of the entry before; undefined if it could not be read. */
  #previous: string | undefined = '';
  #missingFrom: number | null = null;

  constructor(custody: CustodyReader, publicKeys: readonly Uint8Array[] | null) {
    this.#custody = custody;
    this.#publicKeys = publicKeys;
    this.#head = custody.head();
    this.size = Math.max(this.#head?.size ?? 0, custody.entryCount);
    this.#checkpoints = new Map(
      Array.from(custody.checkpoints(), ({ key, value }) => [Number(key), value] as const),
    );
  }

  visit(sequence: number): void {
    const line = this.#custody.line(sequence);
    const entry = parseEntry(line);
    if (line === undefined) this.#missingFrom ??= sequence;
    else this.#reportMissing(sequence);
    if (entry === undefined || line === undefined) {
      if (line !== undefined) this.#addFault(sequence, 'it is no entry');
      this.#stepOver(sequence);
    } else {
      this.#judge(sequence, line, entry);
    }
    this.#judgeCheckpoint(sequence + 1);
  }

  /** A run of missing entries is one fault. */
  #reportMissing(end: number): void {
    const from = this.#missingFrom;
    this.#missingFrom = null;
    if (from === null) return;
    this.#addFault(
      from,
      from === end - 1 ? 'it is missing or damaged' : `entries ${from} to ${end - 1} are missing or damaged`,
    );
  }

  #stepOver(sequence: number): void {
    this.#previous = undefined;
    this.#frontier = readFrontier(sequence + 1, this.#custody.subtree);
  }

  #judge(sequence: number, line: string, entry: CustodyEntry): void {
    if (entry.sequence !== sequence) this.#addFault(sequence, `it says that it is entry ${entry.sequence}`);
    if (this.#previous !== undefined && entry.previous !== this.#previous) {
      this.#addFault(
        Math.max(0, sequence - 1),
        `entry ${sequence} names another predecessor: one of the two was changed`,
      );
    }
    const leaf = leafHashOf(line);
    let firstOther: number | null = null;
    this.#frontier = appendLeaf(this.#frontier, leaf, (level, index, hash) => {
      if (this.#custody.storedSubtree(level, index)?.equals(hash) !== true) firstOther = index * 2 ** level;
    });
    if (firstOther !== null) {
      this.#addFault(firstOther, `the stored tree is another over the entries ${firstOther} to ${sequence}`);
      // Reported once: the trees above a changed entry all differ.
      this.#frontier = readFrontier(sequence + 1, this.#custody.subtree);
    }
    this.#previous = leaf.toString('hex');
    const details = this.#judgeDetails(sequence, entry);
    this.#count(entry, details);
  }

  #judgeDetails(sequence: number, { commitment }: CustodyEntry): CustodyDetails | null {
    const stored = this.#custody.details(sequence);
    if (stored === undefined)
      this.#addFault(sequence, 'its details are gone, and no entry says that they were deleted');
    else if (stored === 'damaged') this.#addFault(sequence, 'its details are damaged');
    else if ('by' in stored) {
      this.#report.detailsDeleted += 1;
      if (!this.#isDeletedBy(stored.by, sequence))
        this.#addFault(
          sequence,
          `its details are gone, and entry ${stored.by} does not say that they were deleted`,
        );
    } else if (holdsCommitment(commitment, stored.details, stored.salt)) {
      return JSON.parse(stored.details) as CustodyDetails;
    } else this.#addFault(sequence, 'its details are not those that it commits to');
    return null;
  }

  #isDeletedBy(by: number, sequence: number): boolean {
    let ranges = this.#deletions.get(by);
    if (ranges === undefined) {
      if (this.#deletions.size >= DELETIONS_MAX) this.#deletions.clear();
      const row = this.#custody.row(by);
      ranges = row?.kind === 'deleted' || row?.kind === 'redacted' ? String(row.details?.what?.entries) : '';
      this.#deletions.set(by, ranges);
    }
    return isInRanges(ranges, sequence);
  }

  #count({ kind, sequence, subject, at }: CustodyEntry, details: CustodyDetails | null): void {
    const reason = String(details?.what?.reason ?? '');
    if (kind === 'taken_over') this.#report.olderLines += 1;
    if (kind === 'segment_opened') this.#addFault(sequence, `a segment begins here: ${reason}`);
    if (kind === 'epoch_opened' && this.#report.epochs.length < EPOCHS_MAX) {
      this.#report.epochs.push({ id: subject, sequence, at, reason });
    }
  }

  #judgeCheckpoint(size: number): void {
    if (!this.#checkpoints.has(size)) return;
    const stored = this.#checkpoints.get(size);
    const read = stored === undefined ? undefined : parseCheckpoint(stored.note);
    if (read === undefined || read.size !== size) {
      this.#addFault(null, `the checkpoint of ${size} entries is damaged`);
    } else if (!read.root.equals(rootOf(this.#frontier.peaks))) {
      this.#addFault(size - 1, `the checkpoint of ${size} entries signs another log`);
    } else if (this.#publicKeys !== null && !this.#publicKeys.some((key) => isSignedBy(read, key))) {
      this.#addFault(null, `the checkpoint of ${size} entries is signed by no key of this box`);
    } else this.#report.checkpoints += 1;
  }

  finish(): CustodyReport {
    this.#reportMissing(this.size);
    const head = this.#head;
    if (head === undefined)
      this.#addFault(null, this.size === 0 ? 'there is no log' : 'the head is missing or damaged');
    else if (head.size !== this.size) {
      this.#addFault(head.size, `the head names ${head.size} entries, ${this.size} were found`);
    } else if (this.#previous !== undefined && head.last !== this.#previous) {
      this.#addFault(this.size - 1, 'it is not the one that the head names');
    } else if (!rootOf(head.peaks.map((peak) => Buffer.from(peak))).equals(rootOf(this.#frontier.peaks))) {
      this.#addFault(null, 'the head names another tree');
    }
    for (const size of this.#checkpoints.keys()) {
      if (size > this.size)
        this.#addFault(null, `a checkpoint signs ${size} entries, ${this.size} were found`);
    }
    if (this.size > 0 && this.#custody.epoch() === undefined)
      this.#addFault(null, `the row of the ${EPOCH_KEY} is missing or damaged`);
    this.#report.faults.sort((left, right) => (left.sequence ?? this.size) - (right.sequence ?? this.size));
    const root = rootOf(this.#frontier.peaks).toString('base64');
    return { isWhole: this.#report.faultCount === 0, size: this.size, root, ...this.#report };
  }

  #addFault(sequence: number | null, fault: string): void {
    this.#report.faultCount += 1;
    if (this.#report.faults.length < FAULTS_MAX) this.#report.faults.push({ sequence, fault });
  }
}

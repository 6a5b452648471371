/** How the custody log lies in the store, beside the lines themselves (domain/custody/entry.ts). */

import { type Held, holderOf } from '../../domain/desk.ts';

/** The details of an entry, or when they were deleted and by which entry that says so. */
export type StoredDetails = KeptDetails | DeletedDetails;

export interface KeptDetails {
  salt: Uint8Array;
  /** JSON, as it was committed to. */
  details: string;
}

export interface DeletedDetails {
  /** Microseconds since 1970. */
  deletedAt: number;
  /** Sequence of the entry whose details name this one. */
  by: number;
}

/** What the next entry goes on from: read and written with each, so that a damaged entry stops none. */
export interface CustodyHead {
  size: number;
  /** Leaf hash of the last entry, hexadecimal; empty if there is none. */
  last: string;
  /** Peaks of the tree, the largest first. */
  peaks: Uint8Array[];
}

/** Which box writes. A copy of the folder finds that it lies elsewhere, and opens an epoch of its own. */
export interface CustodyEpoch {
  id: string;
  /** Sequence of the entry that opened it. */
  sequence: number;
  /** Inode of the records file: no copy keeps it. */
  inode: number;
  /** Time of the restore that it began with, so that a start that was killed does not report it twice. */
  restoredAt?: string;
}

export interface StoredCheckpoint {
  /** C2SP signed note. */
  note: string;
  at: number;
}

export const HEAD_KEY = 'head';
export const EPOCH_KEY = 'epoch';

/** What the index of subjects knows beside records, analyses and epochs. */
export const AUDIT_SUBJECT = 'audit';

/** A person's finding is of a file of an account or a desk, whatever its records are called. */
export function fileSubject(file: HeldFile): string {
  return `file/${holderOf(file)}/${file.kind}/${file.hash}`;
}

/** What lets somebody into an account: the actor of such an entry had it in hand. */
const ACCESS_KINDS: readonly string[] = ['key.create', 'key.replace', 'key.reveal', 'password.link'];

export function accessSubject(accountId: number): string {
  return `access/${accountId}`;
}

/** Whose account an action opens, by the target that it names (`account` or `account/key`); empty if it opens none. */
export function accessSubjectOf(
  kind: string,
  target: string,
  details: Readonly<Record<string, string>> = {},
): string {
  const movesMailbox = kind === 'account.update' && details.email !== undefined;
  const accountId = Number(target.split('/')[0]);
  const isAccess = ACCESS_KINDS.includes(kind) || movesMailbox;
  return isAccess && Number.isSafeInteger(accountId) ? accessSubject(accountId) : '';
}

export interface HeldFile extends Held {
  kind: string;
  hash: string;
}

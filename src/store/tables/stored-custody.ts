/** The custody log in the store, beside the lines themselves (domain/custody/entry.ts). */
import { type Held, holderOf } from '../../domain/desk.ts';

/** The details of an entry, or when they were deleted and by which entry. */
export type StoredDetails = KeptDetails | DeletedDetails;

export interface KeptDetails {
  salt: Uint8Array;
  /** The JSON that was committed to. */
  details: string;
}

export interface DeletedDetails {
  /** Microseconds since 1970. */
  deletedAt: number;
  /** Sequence of the entry whose details name this one. */
  by: number;
}

/** The state that the next entry continues: read and written with each, so that a damaged entry stops none. */
export interface CustodyHead {
  size: number;
  /** Leaf hash of the last entry, hexadecimal; empty if there is none. */
  last: string;
  /** Peaks of the tree, the largest first. */
  peaks: Uint8Array[];
}

/** The box that writes. A copy of the folder finds that it lies elsewhere, and opens an epoch of its own. */
export interface CustodyEpoch {
  id: string;
  /** Sequence of the entry that opened it. */
  sequence: number;
  /** Inode of the records file, which no copy keeps. */
  inode: number;
  /** Time of the restore that began it, so that a start that was killed does not report it twice. */
  restoredAt?: string;
}

export interface StoredCheckpoint {
  /** C2SP signed note. */
  note: string;
  at: number;
}

export const HEAD_KEY = 'head';
export const EPOCH_KEY = 'epoch';

/** The subject of audit lines, beside records, analyses and epochs. */
export const AUDIT_SUBJECT = 'audit';

/** A person's finding concerns a file of an account or a desk, not a record. */
export const fileSubject = (file: HeldFile): string => `file/${holderOf(file)}/${file.kind}/${file.hash}`;

/** Actions that give access to an account: their actor had it in hand. */
const ACCESS_KINDS: readonly string[] = ['key.create', 'key.replace', 'key.reveal', 'password.link'];

export const accessSubject = (accountId: number): string => `access/${accountId}`;

/** The account that an action opens, by its target (`account` or `account/key`); empty if it opens none. */
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

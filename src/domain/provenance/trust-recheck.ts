/** A recheck: manifests of stored files are read anew under the present trust lists. Its progress, and what it changed. */
import type { AppliedList } from './trust-list.ts';

/** There is no `waiting`: a recheck that was cut off goes on with the next start. */
export const RECHECK_STATES = ['running', 'done', 'cancelled'] as const;
export type RecheckState = (typeof RECHECK_STATES)[number];

/** `media_gone`: the file is not stored any more; `unreadable`: it could not be read anew; both keep the earlier reading. */
export const RECHECK_OUTCOMES = ['unchanged', 'changed', 'media_gone', 'unreadable'] as const;
export type RecheckOutcome = (typeof RECHECK_OUTCOMES)[number];

/** Answers that may differ. `ingredients` are their states in the order of the manifests. */
export const RECHECKED_ANSWERS = [
  ...(['state', 'unchanged', 'signed_by', 'vouched_by', 'in_time', 'who'] as const),
  ...(['ingredients', 'assessment'] as const),
] as const;
export type RecheckedAnswer = (typeof RECHECKED_ANSWERS)[number];

/** Words of the answers; may be empty. */
export interface AnswerChange {
  answer: RecheckedAnswer;
  before: string;
  after: string;
}

/** The running recheck, or the last one. */
export interface TrustRecheck {
  state: RecheckState;
  /** Microseconds since 1970. */
  startedAt: number;
  endedAt: number | null;
  /** Account that asked for it. */
  startedBy: number;
  /** Lists under which it reads. */
  lists: AppliedList[];
  /** Analyses looked at so far, and their number at the start. */
  looked: number;
  total: number;
  /** Manifests by outcome; those that these lists judged already are not read. */
  unchanged: number;
  changed: number;
  mediaGone: number;
  unreadable: number;
}

export interface StoredRecheck extends TrustRecheck {
  /** Analysis that was looked at last; empty at the beginning. */
  cursor: string;
}

/** A record whose reading changed, or that could not be read anew. */
export interface RecheckedRecord {
  sequence: number;
  identifier: string;
  accountId: number;
  name: string;
  outcome: RecheckOutcome;
  changes: AnswerChange[];
  listsBefore: AppliedList[];
  listsAfter: AppliedList[];
  /** Why it could not be read anew; empty otherwise. */
  reason: string;
  at: number;
}

/** The figure that counts each outcome. */
export const FIGURE_OF_OUTCOME = {
  unchanged: 'unchanged',
  changed: 'changed',
  media_gone: 'mediaGone',
  unreadable: 'unreadable',
} as const satisfies Record<RecheckOutcome, keyof TrustRecheck>;

export function sameLists(some: readonly AppliedList[], others: readonly AppliedList[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ id, sha256 }, index) => others[index]?.id === id && others[index].sha256 === sha256)
  );
}

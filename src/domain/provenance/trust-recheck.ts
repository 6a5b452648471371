/** A recheck: manifests of stored files are read anew under the present trust lists. Its progress, and what it changed. */
import {
  type Choice,
  identifier,
  idNumber,
  listOf,
  long,
  moment,
  noun,
  nullable,
  oneOf,
  text,
  type ValuesOf,
} from '../field.ts';
import type { AppliedList } from './trust-list.ts';

const RECHECK_STATE = {
  name: 'RecheckState',
  words: ['running', 'done', 'cancelled'],
} as const satisfies Choice;
export type RecheckState = (typeof RECHECK_STATE.words)[number];

/** `media_gone`: the file is not stored any more; `unreadable`: it could not be read anew; both keep the earlier reading. */
export const RECHECK_OUTCOMES = ['unchanged', 'changed', 'media_gone', 'unreadable'] as const;
export type RecheckOutcome = (typeof RECHECK_OUTCOMES)[number];
const RECHECK_OUTCOME = {
  name: 'RecheckOutcome',
  description:
    'MEDIA_GONE: the file is not kept any more. With it and UNREADABLE what was read before stands.',
  words: RECHECK_OUTCOMES,
} as const satisfies Choice;

/** Answers that may differ. `ingredients` are their states in the order of the manifests. */
export const RECHECKED_ANSWERS = [
  ...(['state', 'unchanged', 'signed_by', 'vouched_by', 'in_time', 'who'] as const),
  ...(['ingredients', 'assessment'] as const),
] as const;
export type RecheckedAnswer = (typeof RECHECKED_ANSWERS)[number];
const RECHECKED_ANSWER = {
  name: 'RecheckedAnswer',
  description:
    'VOUCHED_BY: the lists that vouch for the signer. INGREDIENTS: states of the manifests beneath the one that speaks for the file.',
  words: RECHECKED_ANSWERS,
} as const satisfies Choice;

/** Words of the answers; may be empty. */
export const ANSWER_CHANGE = {
  answer: oneOf<RecheckedAnswer>(RECHECKED_ANSWER),
  before: text('Words of the answers; empty for none.'),
  after: text(),
};
export interface AnswerChange extends ValuesOf<typeof ANSWER_CHANGE> {}

/** The running recheck, or the last one. */
export const TRUST_RECHECK = {
  state: oneOf<RecheckState>(RECHECK_STATE),
  startedAt: moment(),
  endedAt: nullable(moment()),
  startedBy: idNumber('Account of who asked for it.'),
  lists: listOf(noun<AppliedList>('AppliedTrustList', 'Trust lists under which it reads.')),
  looked: long('Stored analyses that were looked at.'),
  total: long('Stored analyses at the start.'),
  unchanged: long(
    'Manifests by what became of them; those that these lists judged already are not read again.',
  ),
  changed: long(),
  mediaGone: long(),
  unreadable: long(),
};
export interface TrustRecheck extends ValuesOf<typeof TRUST_RECHECK> {}

export interface StoredRecheck extends TrustRecheck {
  /** Analysis that was looked at last; empty at the beginning. */
  cursor: string;
}

/** A record whose reading changed, or that could not be read anew. */
export const RECHECKED_RECORD = {
  sequence: long(),
  identifier: identifier(),
  accountId: idNumber(),
  name: text(),
  outcome: oneOf<RecheckOutcome>(RECHECK_OUTCOME),
  changes: listOf(noun<AnswerChange>('AnswerChange')),
  listsBefore: listOf(noun<AppliedList>('AppliedTrustList', 'Trust lists that judged it before.')),
  listsAfter: listOf(noun<AppliedList>('AppliedTrustList')),
  reason: text('Why it could not be read anew; empty otherwise.'),
  at: moment(),
};
export interface RecheckedRecord extends ValuesOf<typeof RECHECKED_RECORD> {}

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

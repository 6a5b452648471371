/** Another person's answer to a person's finding. It never changes a record; it shows whether somebody else agrees. */
import type { Held } from '../desk.ts';
import {
  type Choice,
  flag,
  idNumber,
  listOf,
  moment,
  noun,
  nounOf,
  nullable,
  oneOf,
  text,
  type ValuesOf,
  whole,
} from '../field.ts';
import { LABEL, type MediaKind } from '../media/media.ts';

import type { Override } from './classification.ts';

/** The first three are of a finding that stands, the others of one taken back or replaced. Only an answer makes it agreed. */
export const SIGN_OFF_STATES = ['open', 'agreed', 'disagreed', 'withdrawn', 'superseded'] as const;
export const SIGN_OFF_STATE = {
  name: 'SignOffState',
  description:
    'OPEN: no other person has answered. WITHDRAWN and SUPERSEDED: the finding was taken back, or another was stated.',
  words: SIGN_OFF_STATES,
} as const satisfies Choice;
export type SignOffState = (typeof SIGN_OFF_STATES)[number];

/** After a second disagreement the finding stays disputed: it can only be changed or taken back. */
export const SIGN_OFF_ASKS_MAX = 2;

export const SIGN_OFF_ANSWER = {
  agrees: flag(),
  reason: text(),
  at: moment(),
  byAccountId: idNumber(),
  byName: text('Name of that account; empty if it is gone.'),
};
export interface SignOffAnswer extends ValuesOf<typeof SIGN_OFF_ANSWER> {}

export const SIGN_OFF_OBSTACLES = [
  'key_made',
  'key_replaced',
  'key_shown',
  'password_link',
  'mailbox',
  'unknown',
] as const;
export const SIGN_OFF_OBSTACLE_CODE = {
  name: 'SignOffObstacleCode',
  description:
    'How the actor had the account in hand. UNKNOWN: the account has had more keys and links than are looked at.',
  words: SIGN_OFF_OBSTACLES,
} as const satisfies Choice;

/** Why one person could be behind two accounts. */
export const SIGN_OFF_OBSTACLE = {
  code: oneOf(SIGN_OFF_OBSTACLE_CODE),
  accountId: idNumber('The account that was in hand.'),
  accountName: text('Empty if it is gone.'),
  actorId: nullable(idNumber('Who had it in hand; null for UNKNOWN.')),
  actorName: text('Empty if it is gone.'),
  keyId: nullable(idNumber('The key that was made, replaced or shown.')),
  at: nullable(moment('Null for UNKNOWN.')),
};
export interface SignOffObstacle extends ValuesOf<typeof SIGN_OFF_OBSTACLE> {}

/** An account that may be asked, and the obstacle if it may not. */
export const SIGN_OFF_JUDGE = {
  accountId: idNumber(),
  name: text(),
  obstacle: nullable(
    text('Why this account cannot agree, though its role would let it; null if nothing is known.'),
  ),
  obstacles: listOf(
    nounOf({ name: 'SignOffObstacle', fields: SIGN_OFF_OBSTACLE }, 'The obstacle in parts, at most two.'),
  ),
  obstacleDays: whole('Days for which they count; as long as the key is valid in any case.'),
};
export interface SignOffJudge extends ValuesOf<typeof SIGN_OFF_JUDGE> {}

export interface StoredSignOff extends Held {
  kind: MediaKind;
  hash: string;
  /** Time of the finding, by which it is known among those of the file. */
  findingAt: number;
  /** The times at which it was asked for, at most twice. */
  asks: number[];
  /** One answer for each ask, in order. */
  answers: Omit<SignOffAnswer, 'byName'>[];
  ended: 'withdrawn' | 'superseded' | null;
}

/** A sign-off as a record shows it, with its finding. */
export const SIGN_OFF = {
  state: oneOf(SIGN_OFF_STATE),
  classification: oneOf(LABEL, 'What the finding says.'),
  findingAt: moment('When it was stated; an answer names it.'),
  byAccountId: idNumber('Whose finding it is.'),
  byName: text('Name of that account; empty if it is gone.'),
  reason: text('Why it was stated.'),
  askedAt: nullable(moment('Null if the plan demands a sign-off that was not asked for yet.')),
  answers: listOf(
    noun<SignOffAnswer>(
      'SignOffAnswer',
      'Oldest first, at most two: after a disagreement it can be asked for once more.',
    ),
  ),
};
export interface SignOff extends ValuesOf<typeof SIGN_OFF> {}

export interface FindingEntry extends Override {
  byName: string;
  signOff: SignOff | null;
}

export function stateOfSignOff({
  asks,
  answers,
  ended,
}: Pick<StoredSignOff, 'asks' | 'answers' | 'ended'>): SignOffState {
  if (ended !== null) return ended;
  if (answers.length < asks.length) return 'open';
  return answers.at(-1)?.agrees === true ? 'agreed' : 'disagreed';
}

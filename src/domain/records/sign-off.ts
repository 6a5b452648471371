/**
 * A second pair of eyes: another person's word on a finding by a person. It never changes what a record says; it says
 * whether somebody else has looked, and agrees.
 */
import type { Label, MediaKind } from '../media/media.ts';
import type { Override } from './classification.ts';

/**
 * The first three of a finding that stands, the others of one that does not any more: it was taken back, or another was
 * stated. Nothing but an answer makes it agreed.
 */
export const SIGN_OFF_STATES = ['open', 'agreed', 'disagreed', 'withdrawn', 'superseded'] as const;
export type SignOffState = (typeof SIGN_OFF_STATES)[number];

/** After a second disagreement the finding stays disputed: it can only be changed or taken back. */
export const SIGN_OFF_ASKS_MAX = 2;

export interface SignOffAnswer {
  agrees: boolean;
  reason: string;
  /** Microseconds since 1970. */
  at: number;
  byAccountId: number;
}

/** As it is stored, one of a finding. */
export interface StoredSignOff {
  accountId: number;
  kind: MediaKind;
  hash: string;
  /** Time when the finding was stated. Names it among those of the file. */
  findingAt: number;
  /** When it was asked for, at most twice. */
  asks: number[];
  /** One of each ask, in their order. */
  answers: SignOffAnswer[];
  ended: 'withdrawn' | 'superseded' | null;
}

/** As a record shows it, with the finding that it is about. */
export interface SignOff {
  state: SignOffState;
  classification: Label;
  findingAt: number;
  byAccountId: number;
  /** Why the finding was stated. */
  reason: string;
  /** Null if the plan demands one and no one was asked: then no one can answer. */
  askedAt: number | null;
  answers: SignOffAnswer[];
}

/** A finding of the history, with what another person said of it. */
export interface FindingEntry extends Override {
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

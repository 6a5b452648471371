import { moment, number, oneOf, text, type ValuesOf } from '../field.ts';
import { LEDGER_REASON } from './words.ts';

export const CREDITS = { availableCredits: number(), totalSpent: number() };

export interface Credits extends ValuesOf<typeof CREDITS> {}

export const LEDGER_ENTRY = {
  sequence: number(),
  reason: oneOf(LEDGER_REASON),
  amount: number('Negative for a charge.'),
  identifier: text('The record that was charged or refunded; empty for a grant.'),
  at: moment(),
};

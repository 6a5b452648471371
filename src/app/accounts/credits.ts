/** The account's credits (docs/interface.md, Credits) and its ledger. */
import type { LedgerEntry } from '../../domain/accounts/account.ts';
import type { Credits } from '../../domain/contract/ledger.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { refuseForCredits } from '../callers/admission.ts';
import { ownOrManaged } from '../callers/authority.ts';
import type { Principal } from '../callers/principal.ts';
import { assertPageSize } from '../field-parsers.ts';
import type { AccountParts } from './parts.ts';

export function getCredits(app: AccountParts, { principal }: { principal: Principal }): Credits {
  const { available, spent } = app.store.read.balance(principal.account.id);
  return { availableCredits: available, totalSpent: spent };
}

export interface LedgerQuery {
  principal: Principal;
  /** An account that the caller manages; its own if absent. */
  userId?: number | undefined;
  /** Sequence number of the last entry seen. */
  before?: number | undefined;
  limit: number;
}

/** Newest first. */
export function listLedger(
  app: AccountParts,
  { principal, userId, before, limit }: LedgerQuery,
): LedgerEntry[] {
  assertPageSize(limit);
  const { id } = ownOrManaged(app.store.read, principal, userId);
  return app.store.read.ledgerPage(id, { before, limit });
}

export interface Charge {
  accountId: number;
  credits: number;
  identifier: string;
  at: number;
}

/** Takes the price of a submission, in its transaction; throws `credits` if the balance is too small. */
export function charge(tx: StoreTransaction, { accountId, credits, identifier, at }: Charge): void {
  if (credits === 0) return;
  const { available } = tx.balance(accountId);
  if (available < credits) throw refuseForCredits(credits, available);
  tx.appendLedger({ accountId, reason: 'charge', amount: -credits, identifier, at });
}

import type { Account } from '../../domain/accounts/account.ts';
import { currentAccount } from '../callers/authority.ts';
import type { Principal } from '../callers/principal.ts';
import { auditLine } from './audit.ts';
import type { AccountParts } from './parts.ts';

/** The principal comes from `identify` or `identifySession`, which do not require accepted terms. */
export async function acceptTerms(
  app: AccountParts,
  { principal }: { principal: Principal },
): Promise<Account> {
  return await app.store.transact((tx) => {
    const account = currentAccount(tx, principal);
    if (account.termsAcceptedAt !== null) return account;
    const now = app.clock.now();
    const accepted = { ...account, termsAcceptedAt: now, updatedAt: now };
    tx.accounts.put(accepted);
    tx.log.appendAudit(auditLine(app, principal, 'terms.accept', account.id));
    return accepted;
  });
}

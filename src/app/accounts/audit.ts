/** The audit log: a line for each change by an account or administrator, in its transaction, as a custody entry. */
import type { AuditEntryView } from '../../domain/contract/account.ts';
import type { AuditLine } from '../../domain/custody/audit.ts';
import type { AuditAction } from '../../domain/custody/audit-actions.ts';
import type { AccountReader } from '../../store/accounts/account-reader.ts';
import { assertAdmin } from '../callers/authority.ts';
import type { CallOrigin, Principal } from '../callers/principal.ts';
import { assertPageSize } from '../field-parsers.ts';
import type { AccountParts } from './parts.ts';

/** Null is the appliance itself; an origin without an account is a caller who is not signed in. */
export type AuditedBy = Principal | CallOrigin | null;

/** A line for `tx.log.appendAudit` or the fact's own method. Details hold figures and names, never a secret. */
export function auditLine(
  app: Pick<AccountParts, 'clock'>,
  by: AuditedBy,
  action: AuditAction,
  target: string | number,
  details: Record<string, string> = {},
): AuditLine {
  return {
    at: app.clock.now(),
    accountId: by !== null && 'account' in by ? by.account.id : null,
    facade: by?.facade ?? null,
    remoteAddress: by?.remoteAddress ?? null,
    action,
    target: String(target),
    details,
  };
}

/** The API key of the action; nothing for a session. */
export function keyDetail({ key }: Principal): Record<string, string> {
  return key === undefined ? {} : { key: String(key.id) };
}

export interface AuditQuery {
  principal: Principal;
  /** Sequence number of the last line seen. */
  before?: number | undefined;
  limit: number;
}

/** Newest first; for the administrator. */
export function listAudit(app: AccountParts, { principal, before, limit }: AuditQuery): AuditEntryView[] {
  assertAdmin(principal);
  assertPageSize(limit);
  const { read } = app.store;
  return read
    .audit({ before, limit })
    .map((entry) => ({ ...entry, accountName: accountNameOf(read.accounts, entry.accountId) }));
}

/** Empty if there is none, or it is gone or damaged. */
export function accountNameOf(accounts: AccountReader, id: number | null): string {
  return id === null ? '' : (accounts.getUnlessDamaged(id)?.name ?? '');
}

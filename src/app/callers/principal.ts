/** Who is calling, how and from where: an account with its plan, found by its API key or its session. */
import type { Account, ApiKey } from '../../domain/accounts/account.ts';
import type { Plan } from '../../domain/accounts/plan.ts';
import type { WayIn } from '../../domain/records/classification.ts';

/** Where a call comes from, for the audit log and the limits. */
export interface CallOrigin {
  facade: WayIn;
  /** The address of the peer, or the one that a trusted proxy names. */
  remoteAddress: string;
}

/** What a caller showed; `rule`: nothing, the daemon acts for the account by a rule of it or while it signs in. */
export type AdmittedBy =
  | { type: 'key'; hash: string }
  | { type: 'session'; hash: string; expiresAt: number }
  | { type: 'rule' };

export interface Principal extends CallOrigin {
  account: Account;
  plan: Plan;
  admittedBy: AdmittedBy;
  /** The key that was sent; absent if a session speaks for the account. */
  key?: Pick<ApiKey, 'id' | 'name'>;
}

/** What the answer to a reading may depend on of its caller, beside whether it may read at all. */
export interface Reader {
  account: Pick<Account, 'id' | 'role'>;
  plan: Plan;
}

/** The caller: an account with its plan, found by its API key or its session. */
import type { Account, ApiKey } from '../../domain/accounts/account.ts';
import type { Plan } from '../../domain/accounts/plan.ts';
import type { WayIn } from '../../domain/records/classification.ts';

/** The origin of a call, for the audit log and the limits. */
export interface CallOrigin {
  facade: WayIn;
  /** The address of the peer, or the one that a trusted proxy names. */
  remoteAddress: string;
}

/** The proof of a caller; `rule`: none, since the daemon acts for the account by one of its rules or while it signs in. */
export type AdmittedBy =
  | { type: 'key'; hash: string }
  | { type: 'session'; hash: string; expiresAt: number }
  | { type: 'rule' };

export interface Principal extends CallOrigin {
  account: Account;
  plan: Plan;
  admittedBy: AdmittedBy;
  /** The sent key; absent for a session. */
  key?: Pick<ApiKey, 'id' | 'name'>;
}

/** The facts on a caller that the answer to a reading depends on, besides whether it may read. */
export interface Reader {
  account: Pick<Account, 'id' | 'role'>;
  plan: Plan;
}

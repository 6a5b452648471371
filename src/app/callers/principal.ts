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

export interface Principal extends CallOrigin {
  account: Account;
  plan: Plan;
  /** The key that was sent; absent where a session speaks for the account. */
  key?: Pick<ApiKey, 'id' | 'name'>;
}

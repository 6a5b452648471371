/** Who is calling: an account with its plan, found by its API key. */
import type { Account } from '../domain/account.ts';
import type { Plan } from '../domain/plan.ts';

export interface Principal {
  account: Account;
  plan: Plan;
}

/** The account's credits (interface.md, Credits). */
import type { App } from './app.ts';
import type { Principal } from './principal.ts';

export interface Credits {
  availableCredits: number;
  totalSpent: number;
}

export function getCredits(app: App, { principal }: { principal: Principal }): Credits {
  const { available, spent } = app.store.read.balance(principal.account.id);
  return { availableCredits: available, totalSpent: spent };
}

/** Notifies watchers of an account's credits or deliveries. Committed transactions feed it, so that no path forgets it. */
import { Feed } from '../../engine/queue/feed.ts';
import type { StoreChange } from '../../store/accounts/change.ts';

/** An account has one balance, so all its changes coalesce under one name. */
const BALANCE = 'balance';

export class AccountFeed {
  readonly #credits = new Feed();
  readonly #deliveries = new Feed();

  publish(change: StoreChange): void {
    if (change.type === 'balance') this.#credits.publish(BALANCE, [change.accountId]);
    else if (change.type === 'delivery') this.#deliveries.publish(change.id, [change.accountId]);
  }

  /** Registers at the call, so that no later change is missed. */
  watchCredits(accountId: number, signal: AbortSignal): AsyncGenerator<unknown, undefined, undefined> {
    return this.#credits.watch({ readerId: accountId }, signal);
  }

  /** Ids of changed deliveries; many changes of one are sent once. */
  watchDeliveries(accountId: number, signal: AbortSignal): AsyncGenerator<string, undefined, undefined> {
    return this.#deliveries.watch({ readerId: accountId }, signal);
  }
}

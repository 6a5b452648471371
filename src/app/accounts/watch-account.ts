/** Live credits and deliveries of an account; a slow reader skips to the newest state. */
import type { WebhookDelivery } from '../../domain/answers/webhook.ts';
import type { Credits } from '../../domain/contract/ledger.ts';
import type { Principal } from '../callers/principal.ts';
import { getCredits } from './credits.ts';
import type { AccountParts } from './parts.ts';

/** The credits now, then after every change, until the signal aborts. */
export async function* watchCredits(
  app: AccountParts,
  { principal }: { principal: Principal },
  signal: AbortSignal,
): AsyncGenerator<Credits> {
  // The feed is joined before the state is read, so that no change between the two is lost.
  const changes = app.accountFeed.watchCredits(principal.account.id, signal);
  try {
    yield getCredits(app, { principal });
    for await (const _ of changes) {
      yield getCredits(app, { principal });
    }
  } finally {
    await changes.return(undefined);
  }
}

/** Every change of the account's deliveries from now on, until the signal aborts. */
export async function* watchDeliveries(
  app: AccountParts,
  { principal }: { principal: Principal },
  signal: AbortSignal,
): AsyncGenerator<WebhookDelivery> {
  for await (const id of app.accountFeed.watchDeliveries(principal.account.id, signal)) {
    const delivery = app.store.read.delivery(id);
    if (delivery !== undefined) yield delivery;
  }
}

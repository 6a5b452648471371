/** The account's log of webhooks: read page by page, and sent again on request. */
import type { WebhookDelivery } from '../../domain/answers/webhook.ts';
import { AppError, badField } from '../../domain/errors.ts';
import { auditLine } from '../accounts/audit.ts';
import type { AccountParts } from '../accounts/parts.ts';
import { assertMayWrite } from '../callers/authenticate.ts';
import type { Principal } from '../callers/principal.ts';
import { assertPageSize } from '../field-parsers.ts';

export interface DeliveryPage {
  /** Newest first. */
  deliveries: WebhookDelivery[];
  nextCursor: string | null;
}

export interface ListDeliveriesInput {
  principal: Principal;
  limit: number;
  cursor?: string | undefined;
}

/** The cursor names the last delivery seen, so that new ones do not shift pages. */
export function listDeliveries(
  app: AccountParts,
  { principal, limit, cursor }: ListDeliveriesInput,
): DeliveryPage {
  assertPageSize(limit);
  const before = cursor === undefined ? undefined : parseCursor(cursor);
  const found = app.store.read.deliveries(principal.account.id, { before, limit: limit + 1 });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  return { deliveries: page, nextCursor: hasMore ? deliveryCursor(last) : null };
}

/** Where the page after this delivery begins. */
export function deliveryCursor({ createdAt, id }: Pick<WebhookDelivery, 'createdAt' | 'id'>): string {
  return `${createdAt.toString(36)}-${id}`;
}

function parseCursor(cursor: string): { createdAt: number; id: string } {
  const match = /^([0-9a-z]{1,12})-(msg_[0-9a-f]{32})$/.exec(cursor);
  const [, time = '', id = ''] = match ?? [];
  if (match === null) throw badField('cursor', 'expected a cursor from an earlier page');
  return { createdAt: Number.parseInt(time, 36), id };
}

/** Sends the delivery again, under the same id, and lets its receiver back in. Throws `delivery`. */
export async function replayDelivery(
  app: AccountParts,
  { principal, id }: { principal: Principal; id: string },
): Promise<WebhookDelivery> {
  assertMayWrite(principal);
  const accountId = principal.account.id;
  return await app.store.transact((tx) => {
    const delivery = tx.delivery(id);
    if (delivery?.accountId !== accountId) throw new AppError('delivery', 'no such delivery');
    const now = app.clock.now();
    const again: WebhookDelivery = { ...delivery, state: 'pending', seriesAt: now, nextAttemptAt: now };
    tx.putDelivery(again);
    tx.enableReceiver(accountId, delivery.url);
    tx.log.appendAudit(auditLine(app, principal, 'webhook.replay', id, { identifier: delivery.identifier }));
    return again;
  });
}

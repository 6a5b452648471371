/** The secret that the account's webhooks are signed with, and what became of each. */
import { rotateWebhookSecret, webhookSecretOf } from '../../app/accounts/keys.ts';
import { watchDeliveries } from '../../app/accounts/watch-account.ts';
import { listDeliveries, replayDelivery } from '../../app/webhooks/deliveries.ts';
import type { Handlers } from '../../grpc/definition.ts';
import { AccountService } from '../../grpc/gen/assay/v1/account_service_pb.ts';
import { toDelivery } from './account-convert.ts';
import { pageSizeOf } from './accounts.ts';
import { download, type GrpcContext, unary } from './calls.ts';

const { method } = AccountService;

type OfWebhooks =
  | 'getWebhookSecret'
  | 'rotateWebhookSecret'
  | 'listDeliveries'
  | 'watchDeliveries'
  | 'replayDelivery';

export function webhookHandlers(context: GrpcContext): Pick<Handlers<typeof AccountService>, OfWebhooks> {
  const { app } = context;
  return {
    getWebhookSecret: unary(context, method.getWebhookSecret, async ({ principal }) => ({
      secret: await webhookSecretOf(app, { principal }),
    })),
    rotateWebhookSecret: unary(context, method.rotateWebhookSecret, async ({ principal }) => ({
      secret: await rotateWebhookSecret(app, { principal }),
    })),
    listDeliveries: unary(context, method.listDeliveries, ({ principal, request }) => {
      const cursor = request.pageToken === '' ? undefined : request.pageToken;
      const limit = pageSizeOf(request.pageSize);
      const { deliveries, nextCursor } = listDeliveries(app, { principal, limit, cursor });
      return { deliveries: deliveries.map(toDelivery), nextPageToken: nextCursor ?? '' };
    }),
    watchDeliveries: download(context, method.watchDeliveries, async function* ({ principal, signal }) {
      app.metrics.watchers.inc();
      try {
        for await (const delivery of watchDeliveries(app, { principal }, signal)) {
          yield { delivery: toDelivery(delivery) };
        }
      } finally {
        app.metrics.watchers.dec();
      }
    }),
    replayDelivery: unary(context, method.replayDelivery, async ({ principal, request }) => ({
      delivery: toDelivery(await replayDelivery(app, { principal, id: request.id })),
    })),
  };
}

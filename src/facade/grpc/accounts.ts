/** Live streams of the caller's account, and its deliveries, whose pages have cursors of their own. */
import { watchCredits, watchDeliveries } from '../../app/accounts/watch-account.ts';
import type { App } from '../../app/appliance/app.ts';
import { listDeliveries } from '../../app/webhooks/deliveries.ts';
import type { Handlers } from '../../grpc/definition.ts';
import { AccountService } from '../../grpc/gen/assay/v1/account_service_pb.ts';
import { toMessage } from '../../grpc/messages.ts';
import { download, type GrpcContext, unary } from './calls.ts';
import { EXCEPTIONS } from './exceptions.ts';
import { pageSizeOf } from './operations.ts';

const { method } = AccountService;

type ByHand = 'watchCredits' | 'listDeliveries' | 'watchDeliveries';

export function accountHandlers(context: GrpcContext): Pick<Handlers<typeof AccountService>, ByHand> {
  const { app } = context;
  return {
    watchCredits: download(context, method.watchCredits, async function* ({ principal, signal }) {
      for await (const credits of counted(app, watchCredits(app, { principal }, signal))) {
        yield toMessage(method.watchCredits.output, credits);
      }
    }),
    listDeliveries: unary(context, method.listDeliveries, ({ principal, request }) => {
      const cursor = request.pageToken === '' ? undefined : request.pageToken;
      const limit = pageSizeOf(request.pageSize);
      const { deliveries, nextCursor } = listDeliveries(app, { principal, limit, cursor });
      const page = { deliveries, nextPageToken: nextCursor ?? '' };
      return toMessage(method.listDeliveries.output, page, EXCEPTIONS);
    }),
    watchDeliveries: download(context, method.watchDeliveries, async function* ({ principal, signal }) {
      for await (const delivery of counted(app, watchDeliveries(app, { principal }, signal))) {
        yield toMessage(method.watchDeliveries.output, { delivery }, EXCEPTIONS);
      }
    }),
  };
}

/** The reading counts as one watcher. */
export async function* counted<T>({ metrics }: Pick<App, 'metrics'>, changes: AsyncIterable<T>) {
  metrics.watchers.inc();
  try {
    yield* changes;
  } finally {
    metrics.watchers.dec();
  }
}

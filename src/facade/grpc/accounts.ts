/** The caller's own account, its credits and their ledger. */
import { getCredits, listLedger } from '../../app/accounts/credits.ts';
import { changePassword } from '../../app/accounts/passwords.ts';
import { acceptTerms } from '../../app/accounts/terms.ts';
import { toUserView } from '../../app/accounts/user-view.ts';
import { getUser, updateUser } from '../../app/accounts/users.ts';
import { watchCredits } from '../../app/accounts/watch-account.ts';
import { parseWhole } from '../../app/field-parsers.ts';
import { PAGE_SIZE_DEFAULT } from '../../domain/limits.ts';
import type { Handlers } from '../../grpc/definition.ts';
import { AccountService } from '../../grpc/gen/assay/v1/account_service_pb.ts';
import { fromMessage, toMessage } from '../../grpc/messages.ts';
import { toPlan, toUser } from './account-convert.ts';
import { download, type GrpcContext, unary } from './calls.ts';
import { refuseUnlisted } from './enums.ts';

const { method } = AccountService;

type Own = 'getAccount' | 'updateAccount' | 'acceptTerms' | 'changePassword';
type OfCredits = 'getCredits' | 'watchCredits' | 'listLedger';

export function ownAccountHandlers(context: GrpcContext): Pick<Handlers<typeof AccountService>, Own> {
  const { app } = context;
  return {
    getAccount: unary(context, method.getAccount, ({ principal }) => {
      const user = getUser(app, { principal, id: principal.account.id });
      return { user: toUser(user), plan: toPlan(principal.plan) };
    }),
    updateAccount: unary(context, method.updateAccount, async ({ principal, request }) => {
      const { id } = principal.account;
      const fields = fromMessage(method.updateAccount.input, request, refuseUnlisted);
      const account = await updateUser(app, { principal, id, fields });
      return { user: toUser(toUserView(app, account)) };
    }),
    acceptTerms: unary(
      context,
      method.acceptTerms,
      async ({ principal }) => ({
        user: toUser(toUserView(app, await acceptTerms(app, { principal }))),
      }),
      { beforeTerms: true },
    ),
    changePassword: unary(context, method.changePassword, async ({ principal, request }) => {
      const { current, password } = request;
      await changePassword(app, { principal, current, password });
      return {};
    }),
  };
}

export function creditHandlers(context: GrpcContext): Pick<Handlers<typeof AccountService>, OfCredits> {
  const { app } = context;
  return {
    getCredits: unary(context, method.getCredits, ({ principal }) =>
      toMessage(method.getCredits.output, getCredits(app, { principal })),
    ),
    watchCredits: download(context, method.watchCredits, async function* ({ principal, signal }) {
      app.metrics.watchers.inc();
      try {
        for await (const credits of watchCredits(app, { principal }, signal)) {
          yield toMessage(method.watchCredits.output, credits);
        }
      } finally {
        app.metrics.watchers.dec();
      }
    }),
    listLedger: unary(context, method.listLedger, ({ principal, request }) => {
      const userId = request.userId === 0n ? {} : { userId: Number(request.userId) };
      const entries = listLedger(app, { principal, ...userId, ...sequencePageOf(request) });
      return toMessage(method.listLedger.output, { entries, nextPageToken: sequenceTokenOf(entries) });
    }),
  };
}

/** A page of lines that are numbered from 1 on and listed from the newest down. */
export function sequencePageOf({ pageSize, pageToken }: { pageSize: number; pageToken: string }): {
  limit: number;
  before: number | undefined;
} {
  const before = parseWhole({ page_token: pageToken }, 'page_token', 1, Number.MAX_SAFE_INTEGER);
  return { limit: pageSizeOf(pageSize), before };
}

/** The number of the page's last line; none after the first of all lines. */
export function sequenceTokenOf(lines: readonly { sequence: number }[]): string {
  const last = lines.at(-1)?.sequence ?? 1;
  return last > 1 ? String(last) : '';
}

/** In proto3 a number that was not sent is 0. */
export function pageSizeOf(pageSize: number): number {
  return pageSize === 0 ? PAGE_SIZE_DEFAULT : pageSize;
}

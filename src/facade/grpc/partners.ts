/** Users as their partner or the administrator manages them. */

import { listUsers } from '../../app/accounts/user-list.ts';
import { toUserView } from '../../app/accounts/user-view.ts';
import { createUser, deleteUser, getUser, sendCreationEmail, updateUser } from '../../app/accounts/users.ts';
import { parseWhole } from '../../app/field-parsers.ts';
import type { RawFields } from '../../app/submissions/input.ts';
import { badField } from '../../domain/errors.ts';
import { PAGE_SIZE_MAX } from '../../domain/limits.ts';
import type { Handlers } from '../../grpc/definition.ts';
import {
  type ListUsersRequest,
  PartnerService,
  SortDirectionSchema,
} from '../../grpc/gen/assay/v1/partner_service_pb.ts';
import { fromUserFields, toUser } from './account-convert.ts';
import { pageSizeOf } from './accounts.ts';
import { type GrpcContext, unary } from './calls.ts';
import { fromEnum } from './enums.ts';
import { within } from './errors.ts';

const { method } = PartnerService;

export function partnerHandlers(context: GrpcContext): Handlers<typeof PartnerService> {
  const { app } = context;
  return {
    listUsers: unary(context, method.listUsers, ({ principal, request }) => {
      const { data, total, currentPage, lastPage } = listUsers(app, { principal, fields: queryOf(request) });
      const nextPageToken = currentPage < lastPage ? String(currentPage + 1) : '';
      return { users: data.map(toUser), nextPageToken, totalSize: BigInt(total) };
    }),
    getUser: unary(context, method.getUser, ({ principal, request }) => ({
      user: toUser(getUser(app, { principal, id: Number(request.id) })),
    })),
    createUser: unary(context, method.createUser, async ({ principal, request }) => {
      const account = await within('user', async () =>
        createUser(app, { principal, fields: fromUserFields(request.user) }),
      );
      return { user: toUser(toUserView(app, account)) };
    }),
    updateUser: unary(context, method.updateUser, async ({ principal, request }) => {
      const { id, user } = request;
      const account = await within('user', async () =>
        updateUser(app, { principal, id: Number(id), fields: fromUserFields(user) }),
      );
      return { user: toUser(toUserView(app, account)) };
    }),
    deleteUser: unary(context, method.deleteUser, async ({ principal, request }) => {
      const account = await deleteUser(app, { principal, id: Number(request.id) });
      return { user: toUser(toUserView(app, account)) };
    }),
    sendCreationEmail: unary(context, method.sendCreationEmail, async ({ principal, request }) => ({
      user: toUser(await sendCreationEmail(app, { principal, id: Number(request.id) })),
    })),
  };
}

/** Pages by number under the documented names; a token is the next page's number. */
function queryOf(request: ListUsersRequest): RawFields {
  const { filter, sort, pricingId, pageToken } = request;
  const perPage = pageSizeOf(request.pageSize);
  if (perPage < 1 || perPage > PAGE_SIZE_MAX) {
    throw badField('page_size', `expected a whole number from 1 to ${PAGE_SIZE_MAX}, found ${perPage}`);
  }
  return {
    ...{ filter, sort },
    pricing_id: pricingId === 0n ? undefined : Number(pricingId),
    direction: fromEnum(SortDirectionSchema, request.direction, 'direction'),
    per_page: perPage,
    page: parseWhole({ page_token: pageToken }, 'page_token', 1, 1_000_000_000),
  };
}

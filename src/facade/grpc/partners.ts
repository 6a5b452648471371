/** The list of users, which pages by number under the documented names. */
import { listUsers } from '../../app/accounts/user-list.ts';
import { parseWhole, type RawFields } from '../../app/field-parsers.ts';
import { badField } from '../../domain/errors.ts';
import { PAGE_SIZE_MAX } from '../../domain/limits.ts';
import type { Handlers } from '../../grpc/definition.ts';
import {
  type ListUsersRequest,
  PartnerService,
  SortDirectionSchema,
} from '../../grpc/gen/assay/v1/partner_service_pb.ts';
import { toMessage } from '../../grpc/messages.ts';
import { type GrpcContext, unary } from './calls.ts';
import { fromEnum } from './enums.ts';
import { pageSizeOf } from './operations.ts';

const { method } = PartnerService;

export function partnerHandlers(context: GrpcContext): Pick<Handlers<typeof PartnerService>, 'listUsers'> {
  return {
    listUsers: unary(context, method.listUsers, ({ principal, request }) => {
      const page = listUsers(context.app, { principal, fields: queryOf(request) });
      const { data: users, total: totalSize, currentPage, lastPage } = page;
      const nextPageToken = currentPage < lastPage ? String(currentPage + 1) : '';
      return toMessage(method.listUsers.output, { users, nextPageToken, totalSize });
    }),
  };
}

/** A token is the next page's number. */
function queryOf(request: ListUsersRequest): RawFields {
  const { filter, sort, pricingId, pageToken } = request;
  const perPage = pageSizeOf(request.pageSize);
  if (perPage < 1 || perPage > PAGE_SIZE_MAX) {
    throw badField('page_size', `expected a whole number from 1 to ${PAGE_SIZE_MAX}, found ${perPage}`);
  }
  return {
    filter,
    sort,
    pricing_id: pricingId === 0n ? undefined : Number(pricingId),
    direction: fromEnum(SortDirectionSchema, request.direction, 'direction'),
    per_page: perPage,
    page: parseWhole({ page_token: pageToken }, 'page_token', 1, 1_000_000_000),
  };
}

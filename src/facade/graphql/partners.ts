/** The list of users: a partner sees its own, an administrator all. */
import { listUsers, USER_SORTS } from '../../app/accounts/user-list.ts';
import { parseWhole } from '../../app/field-parsers.ts';
import type { UserView } from '../../domain/contract/account.ts';
import { builder, upperCaseValues } from './builder.ts';
import { type Connection, FIRST_DESCRIPTION, type PageArguments, pageLimitOf } from './connection.ts';
import { countCall } from './transport/calls.ts';
import type { GraphqlContext } from './transport/context.ts';
import { toRawFields } from './transport/input.ts';
import { userConnectionType } from './user-types.ts';

const userSortEnum = builder.enumType('UserSort', { values: upperCaseValues([...USER_SORTS]) });
const directionEnum = builder.enumType('SortDirection', { values: upperCaseValues(['asc', 'desc']) });

interface UserArguments extends PageArguments {
  filter?: string | null | undefined;
  pricingId?: string | null | undefined;
  sort?: string | null | undefined;
  direction?: string | null | undefined;
}

export function addPartnerQueries(): void {
  builder.queryFields((t) => ({
    users: t.field({
      type: userConnectionType,
      nullable: true,
      description: 'For partners their own users, for administrators all accounts.',
      args: {
        filter: t.arg.string({ description: 'Part of a name or an e-mail address.' }),
        pricingId: t.arg.id(),
        sort: t.arg({ type: userSortEnum }),
        direction: t.arg({ type: directionEnum }),
        first: t.arg.int({ description: FIRST_DESCRIPTION }),
        after: t.arg.string(),
      },
      resolve: (_, args, context) => countCall(context, 'users', () => readUsers(context, args)),
    }),
  }));
}

/** The cursor is the position in the sorted list, as in the documented pages. */
function readUsers({ app, principal }: GraphqlContext, args: UserArguments): Connection<UserView> {
  const { first, after, ...query } = args;
  const limit = pageLimitOf({ first });
  const start = parseWhole({ after }, 'after', 1, Number.MAX_SAFE_INTEGER) ?? 0;
  const { data } = listUsers(app, { principal: principal(), fields: toRawFields(query) });
  return {
    edges: data
      .slice(start, start + limit)
      .map((node, index) => ({ node, cursor: String(start + index + 1) })),
    hasNextPage: data.length > start + limit,
  };
}

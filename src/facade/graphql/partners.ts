/** Users: a partner sees and manages its own, an administrator all. */

import { listUsers, USER_SORTS } from '../../app/accounts/user-list.ts';
import { toUserView } from '../../app/accounts/user-view.ts';
import { createUser, deleteUser, getUser, sendCreationEmail, updateUser } from '../../app/accounts/users.ts';
import { parseWhole } from '../../app/field-parsers.ts';
import type { RawFields } from '../../app/submissions/input.ts';
import { ACCOUNT_DETAILS, type UserView } from '../../domain/contract/account.ts';
import { builder, c2paPolicyEnum, heuristicEnum, roleEnum, upperCaseValues } from './builder.ts';
import { inputFieldsOf } from './nouns.ts';
import { countCall, settleCall } from './transport/calls.ts';
import {
  type Connection,
  FIRST_DESCRIPTION,
  type PageArguments,
  pageLimitOf,
} from './transport/connection.ts';
import type { GraphqlContext } from './transport/context.ts';
import { toId, toRawFields } from './transport/input.ts';
import { userConnectionType, userPayloadType, userType } from './user-types.ts';

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
    user: t.field({
      type: userType,
      nullable: true,
      args: { id: t.arg.id({ required: true }) },
      resolve: (_, { id }, context) =>
        countCall(context, 'user', () =>
          getUser(context.app, { principal: context.principal(), id: toId(id) }),
        ),
    }),
  }));
}

/** The cursor is the place in the sorted list, as the documented pages are. */
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

const userInput = builder.inputType('UserInput', {
  description: 'What is absent is not set or stays; null clears it.',
  fields: (t) => ({
    name: t.string({ description: 'Required for a new user.' }),
    email: t.string({ description: 'Required for a new user.' }),
    ...inputFieldsOf(t, ACCOUNT_DETAILS),
    heuristic: t.field({ type: heuristicEnum }),
    readonly: t.boolean(),
    pricingId: t.id(),
    role: t.field({ type: roleEnum, description: 'Administrators only.' }),
    partnerId: t.id({ description: 'Administrators only; null makes a top-level account.' }),
    c2paPolicy: t.field({ type: c2paPolicyEnum, description: 'Null: as the plan says.' }),
  }),
});

export function addPartnerMutations(): void {
  addUserWrites();
  addUserActs();
}

function addUserWrites(): void {
  builder.mutationFields((t) => ({
    createUser: t.field({
      type: userPayloadType,
      nullable: true,
      args: { input: t.arg({ type: userInput, required: true }) },
      resolve: (_, { input }, context) =>
        settleCall(context, 'createUser', () => makeUser(context, toRawFields(input))),
    }),
    updateUser: t.field({
      type: userPayloadType,
      nullable: true,
      args: { id: t.arg.id({ required: true }), input: t.arg({ type: userInput, required: true }) },
      resolve: (_, { id, input }, context) =>
        settleCall(context, 'updateUser', async () => {
          const { app, principal } = context;
          const change = { principal: principal(), id: toId(id), fields: toRawFields(input) };
          return toUserView(app, await updateUser(app, change));
        }),
    }),
  }));
}

function addUserActs(): void {
  builder.mutationFields((t) => ({
    deleteUser: t.field({
      type: userPayloadType,
      nullable: true,
      description: "The user's keys and sessions stop at once.",
      args: { id: t.arg.id({ required: true }) },
      resolve: (_, { id }, context) =>
        settleCall(context, 'deleteUser', async () => {
          const { app, principal } = context;
          return toUserView(app, await deleteUser(app, { principal: principal(), id: toId(id) }));
        }),
    }),
    sendCreationEmail: t.field({
      type: userPayloadType,
      nullable: true,
      description: 'Mails a link to set the first password, or to reset it where there is one.',
      args: { id: t.arg.id({ required: true }) },
      resolve: (_, { id }, context) =>
        settleCall(context, 'sendCreationEmail', () =>
          sendCreationEmail(context.app, { principal: context.principal(), id: toId(id) }),
        ),
    }),
  }));
}

async function makeUser({ app, principal }: GraphqlContext, fields: RawFields): Promise<UserView> {
  return toUserView(app, await createUser(app, { principal: principal(), fields }));
}

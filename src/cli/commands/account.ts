import { type Plan, Role, type User, UserSchema } from '../../grpc/gen/assay/v1/account_pb.ts';
import { AccountService } from '../../grpc/gen/assay/v1/account_service_pb.ts';
import { commandsOf, outcome } from '../rows/row.ts';
import { askPassword } from '../terminal/password-prompt.ts';
import { formatColumns } from '../views/columns.ts';
import { nameOf } from '../views/enum-word.ts';
import { toJsonObject } from '../views/message-json.ts';
import { describePlan } from '../views/plan-view.ts';
import { formatTimestamp } from '../views/timestamp.ts';

const { method } = AccountService;

export const addAccountCommand = commandsOf('account', 'the account of your key', [
  outcome('show', 'show it with its plan', method.getAccount, {
    isDefault: true,
    json: 'as one line of JSON',
    outcome: ({ user }) => (user === undefined ? {} : toJsonObject(UserSchema, user)),
    text: ({ user, plan }) => (user === undefined ? '' : describe(user, plan)),
  }),
  outcome('accept-terms', 'accept the terms of service', method.acceptTerms, {
    outcome: ({ user }) => ({ terms_accepted_at: formatTimestamp(user?.termsAcceptedAt) }),
    text: ({ user }) => `accepted: ${formatTimestamp(user?.termsAcceptedAt)}`,
  }),
  outcome(
    'password',
    'change the password: asks for the present and the new one, or reads two lines',
    method.changePassword,
    {
      request: async (_said, _client, terminal) => ({
        current: await askPassword(terminal, 'present password'),
        password: await askPassword(terminal, 'new password'),
      }),
      outcome: () => ({ changed: true }),
      text: () => 'the password is changed',
    },
  ),
]);

function describe(user: User, plan: Plan | undefined): string {
  return formatColumns([
    ['id', String(user.id)],
    ['name', user.name],
    ['e-mail', user.email],
    ['role', nameOf(Role, user.role)],
    ['credits', String(user.balance)],
    ['heuristic', user.heuristic],
    ['read-only', user.readonly ? 'yes' : 'no'],
    ['terms accepted', formatTimestamp(user.termsAcceptedAt) || 'no'],
    ['made', formatTimestamp(user.createdAt)],
    ...(plan === undefined ? [] : describePlan(plan).map(([name, value]) => [`plan: ${name}`, value])),
  ]);
}

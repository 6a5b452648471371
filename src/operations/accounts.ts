/** The caller's own account, and the users that a partner or an administrator manages. */
import { getCredits, listLedger } from '../app/accounts/credits.ts';
import { changePassword, createPasswordLink } from '../app/accounts/passwords.ts';
import { acceptTerms } from '../app/accounts/terms.ts';
import { toUserView } from '../app/accounts/user-view.ts';
import {
  createUser,
  deleteUser,
  getUser,
  grantCredits,
  sendCreationEmail,
  updateUser,
} from '../app/accounts/users.ts';
import type { LedgerEntry } from '../domain/accounts/account.ts';
import type { Plan } from '../domain/accounts/plan.ts';
import type { UserView } from '../domain/contract/account.ts';
import type { Credits } from '../domain/contract/ledger.ts';
import { flag, idNumber, moment, noun, nullable, text, whole } from '../domain/field.ts';
import { form, itself, mutation, one, optional, page, pageInput, query, several } from './operation.ts';

const USER = noun<UserView>('User');
const ONE_USER = one('user', USER);

export const ACCOUNT_OPERATIONS = {
  getAccount: query({
    field: null,
    answer: several({ user: USER, plan: noun<Plan>('Plan') }),
    run: (app, { principal }) => ({
      user: getUser(app, { principal, id: principal.account.id }),
      plan: principal.plan,
    }),
  }),
  updateAccount: mutation({
    input: { fields: form('account') },
    answer: ONE_USER,
    payload: 'User',
    run: async (app, { principal, fields }) =>
      toUserView(app, await updateUser(app, { principal, id: principal.account.id, fields })),
  }),
  acceptTerms: mutation({
    description: 'Accepts the terms of service; the one call that works before.',
    isBeforeTerms: true,
    isForReaders: true,
    answer: ONE_USER,
    payload: 'User',
    run: async (app, input) => toUserView(app, await acceptTerms(app, input)),
  }),
  changePassword: mutation({
    description: '12 to 256 characters.',
    input: { current: text(), password: text() },
    isForReaders: true,
    answer: ONE_USER,
    payload: 'User',
    run: async (app, input) => toUserView(app, await changePassword(app, input)),
  }),
  getCredits: query({
    field: null,
    answer: itself('credits', noun<Credits>('Credits')),
    run: getCredits,
  }),
  listLedger: query({
    field: null,
    input: { userId: optional(idNumber()), ...pageInput() },
    answer: page('entries', noun<LedgerEntry>('LedgerEntry'), { cursor: 'sequence', first: 1 }),
    run: listLedger,
  }),
};

export const USER_OPERATIONS = {
  getUser: query({ input: { id: idNumber() }, answer: ONE_USER, run: getUser }),
  createUser: mutation({
    role: 'partner',
    input: { fields: form('user') },
    answer: ONE_USER,
    payload: 'User',
    run: async (app, input) => toUserView(app, await createUser(app, input)),
  }),
  updateUser: mutation({
    input: { id: idNumber(), fields: form('user') },
    answer: ONE_USER,
    payload: 'User',
    run: async (app, input) => toUserView(app, await updateUser(app, input)),
  }),
  deleteUser: mutation({
    description: "The user's keys and sessions stop at once.",
    role: 'partner',
    input: { id: idNumber() },
    answer: ONE_USER,
    payload: 'User',
    run: async (app, input) => toUserView(app, await deleteUser(app, input)),
  }),
  sendCreationEmail: mutation({
    description: 'Mails a link to set the first password, or to reset it where there is one.',
    role: 'partner',
    input: { id: idNumber() },
    answer: several({
      user: USER,
      sent: flag('False if no mail server is set.'),
      file: nullable(text('Where the mail lies on the box, to be handed over; null if it was sent.')),
    }),
    payload: 'CreationEmail',
    run: sendCreationEmail,
  }),
  resetPassword: mutation({
    description: 'A single-use link with which a user sets a new password.',
    role: 'admin',
    input: { email: text() },
    answer: several({ link: text(), expiresAt: moment() }),
    payload: 'PasswordLink',
    run: createPasswordLink,
  }),
  grantCredits: mutation({
    description: 'A negative amount takes some back.',
    role: 'admin',
    input: {
      id: idNumber(),
      amount: whole(),
      note: optional(text('Why, for the audit log.')),
    },
    answer: ONE_USER,
    payload: 'User',
    run: grantCredits,
  }),
};

import {
  addDesk,
  getDesk,
  listDesks,
  removeDesk,
  removeDeskMember,
  renameDesk,
  setDeskMember,
} from '../app/accounts/desks.ts';
import { DESK } from '../domain/contract/desk.ts';
import { DESK_ROLE } from '../domain/desk.ts';
import { idNumber, listOf, nounOf, oneOf, text } from '../domain/field.ts';
import { mutation, one, query } from './operation.ts';

const A_DESK = nounOf({
  name: 'Desk',
  description: 'Accounts that work on the same records, each with one role.',
  fields: DESK,
});
const ONE_DESK = one('desk', A_DESK);
const ONE = { id: idNumber() };
const NAME = text('At most 100 characters.');
const EMAIL = text('The address of an account that the desk is for.');

export const DESK_OPERATIONS = {
  listDesks: query({
    field: 'desks',
    description: 'Desks of which the caller is a member, and those that it looks after.',
    answer: one('desks', listOf(A_DESK)),
    run: listDesks,
  }),
  getDesk: query({ field: 'desk', input: ONE, answer: ONE_DESK, run: getDesk }),
  addDesk: mutation({
    description: 'A partner’s desk is for its own accounts.',
    role: 'partner',
    input: { name: NAME },
    answer: ONE_DESK,
    payload: 'Desk',
    run: addDesk,
  }),
  renameDesk: mutation({
    role: 'partner',
    input: { ...ONE, name: NAME },
    answer: ONE_DESK,
    payload: 'Desk',
    run: renameDesk,
  }),
  removeDesk: mutation({
    description: 'Only once it has no records.',
    role: 'partner',
    input: ONE,
    answer: ONE_DESK,
    payload: 'Desk',
    run: removeDesk,
  }),
  setDeskMember: mutation({
    description: 'Adds a member, or gives it another role; for who heads or looks after the desk.',
    input: { ...ONE, email: EMAIL, role: oneOf(DESK_ROLE) },
    answer: ONE_DESK,
    payload: 'Desk',
    run: setDeskMember,
  }),
  removeDeskMember: mutation({
    description: 'What the member has sent stays with the desk. Each may leave by itself.',
    input: { ...ONE, email: EMAIL },
    answer: ONE_DESK,
    payload: 'Desk',
    run: removeDeskMember,
  }),
};

import { DESK_ROLE } from '../desk.ts';
import { flag, idNumber, listOf, moment, nounOf, nullable, oneOf, text, type ValuesOf } from '../field.ts';

export const DESK_MEMBER = {
  accountId: idNumber(),
  name: text(),
  email: text(),
  role: oneOf(DESK_ROLE),
  at: moment('Since when it is a member.'),
};
export interface DeskMemberView extends ValuesOf<typeof DESK_MEMBER> {}

export const DESK = {
  id: idNumber(),
  name: text(),
  partnerId: nullable(idNumber('The partner that looks after it; null: administrators alone.')),
  ownRole: nullable(oneOf(DESK_ROLE, 'Role of the caller; null if it is no member.')),
  isManaged: flag('Whether the caller may name its members.'),
  members: listOf(nounOf({ name: 'DeskMember', fields: DESK_MEMBER })),
  createdAt: moment(),
};
export interface DeskView extends ValuesOf<typeof DESK> {}

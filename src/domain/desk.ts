/** Accounts that work on the same records, each with one role; the desk, not the sender, owns what is sent for it. */
import type { Choice } from './field.ts';

/** Each includes those before it. */
export const DESK_ROLES = ['looks', 'submits', 'finds', 'signs_off', 'heads'] as const;
export const DESK_ROLE = {
  name: 'DeskRole',
  description:
    'Each includes those before it. LOOKS: reads records, media and custody. SUBMITS: sends media, has analyses made again or added, takes evidence packages, and deletes what it sent. FINDS: states findings and asks for sign-offs. SIGNS_OFF: answers them. HEADS: deletes records and names members.',
  words: DESK_ROLES,
} as const satisfies Choice;
export type DeskRole = (typeof DESK_ROLES)[number];

/** Actions on a desk's records, with the least role for each. */
export const DESK_RIGHTS = {
  look: 'looks',
  change: 'submits',
  export: 'submits',
  find: 'finds',
  sign_off: 'signs_off',
  delete: 'heads',
} as const satisfies Readonly<Record<string, DeskRole>>;
export type RecordOperation = keyof typeof DESK_RIGHTS;
export const RECORD_OPERATIONS = Object.keys(DESK_RIGHTS) as RecordOperation[];
export const RECORD_OPERATION = {
  name: 'RecordOperation',
  description: 'What may be done with a record.',
  words: RECORD_OPERATIONS,
} as const satisfies Choice;

export function includesRole(role: DeskRole | undefined, needed: DeskRole): boolean {
  return role !== undefined && DESK_ROLES.indexOf(role) >= DESK_ROLES.indexOf(needed);
}

export interface Desk {
  id: number;
  name: string;
  /** The partner that manages it; null: administrators alone. */
  partnerId: number | null;
  createdAt: number;
}

export interface DeskMember {
  deskId: number;
  accountId: number;
  role: DeskRole;
  /** Since when it is a member. */
  at: number;
}

/** A file or record that an account sent, for a desk or for itself. */
export interface Held {
  accountId: number;
  /** Absent for the account's own. */
  deskId?: number;
}

/** The number under which it is stored: the account's, or the desk's below zero. */
export function holderOf({ accountId, deskId }: Held): number {
  return deskId === undefined ? accountId : holderOfDesk(deskId);
}

export const holderOfDesk = (deskId: number): number => -deskId;

export function heldFor(accountId: number, deskId: number | undefined): Held {
  return deskId === undefined ? { accountId } : { accountId, deskId };
}

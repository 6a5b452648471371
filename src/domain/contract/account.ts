/** An account as others may see it, one row a field: the documented User, and what the newer facades add. */
import type { AuditEntry } from '../custody/audit.ts';
import {
  type FieldsOf,
  flag,
  idNumber,
  json,
  moment,
  type Noun,
  noun,
  nullable,
  number,
  oneOf,
  text,
  type ValuesOf,
} from '../field.ts';
import { HEURISTIC } from '../verdicts/heuristics.ts';
import { C2PA_POLICY, ROLE } from './words.ts';

/** Contact details, which the program never reads. */
export const ACCOUNT_DETAILS = {
  address: nullable(text('Street and number.')),
  zip: nullable(text('Postal code.')),
  city: nullable(text('City.')),
  country: nullable(text('Country.')),
  phone: nullable(text('Telephone number.')),
  contact: nullable(text('Person to ask.')),
  vat: nullable(text('VAT number.')),
};

const PRICING = { id: idNumber(), name: text(), sku: text() };

const OWN = {
  id: idNumber(),
  name: text(),
  email: text(),
  emailVerifiedAt: nullable(moment()),
  ...ACCOUNT_DETAILS,
  createdAt: moment(),
  updatedAt: moment(),
  balance: number('Credits left.'),
  heuristic: oneOf(HEURISTIC),
  readonly: flag('Can only view results.'),
  pricing: noun<ValuesOf<typeof PRICING>>('Pricing'),
};

const ADDED = {
  role: oneOf(ROLE),
  termsAcceptedAt: nullable(moment()),
  c2paPolicy: nullable(oneOf(C2PA_POLICY, 'Null: as the plan says.')),
  hasPassword: flag(),
};

/** Times are microseconds; facades format them. */
export interface UserView extends ValuesOf<typeof OWN>, ValuesOf<typeof ADDED> {
  /** Null for a top-level account. A partner has none itself, so the nesting ends there. */
  partner: UserView | null;
}

/** In the order of docs/interface.md. */
export const DOCUMENTED_USER = { ...OWN, partner: nullable(noun<UserView>('User')) };

export const USER = { ...DOCUMENTED_USER, ...ADDED };

export const USER_PRICING = { name: 'Pricing', fields: PRICING } satisfies Noun;

export interface AuditEntryView extends AuditEntry {
  accountName: string;
}

export const AUDIT_ENTRY = {
  name: 'AuditEntry',
  fields: {
    sequence: number(),
    at: moment(),
    accountId: nullable(idNumber('Who did it; null for the appliance itself and for a failed sign-in.')),
    accountName: text('As the account is called now; empty where there is none, or it is gone.'),
    facade: nullable(text<NonNullable<AuditEntry['facade']>>()),
    remoteAddress: nullable(text()),
    action: text('noun.verb: account.create, key.reveal, override.set.'),
    target: text('What it was done to.'),
    details: json(),
  } satisfies FieldsOf<AuditEntryView>,
};

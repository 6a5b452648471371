/** The fields of an account as a caller may write them: absent ones stay as they are. */
import { type Account, ROLES, type Role } from '../../domain/accounts/account.ts';
import { ACCOUNT_DETAILS } from '../../domain/contract/account.ts';
import { C2PA_POLICY } from '../../domain/contract/words.ts';
import { badField } from '../../domain/errors.ts';
import { toSnakeCase } from '../../domain/field.ts';
import { HEURISTIC_NAMES } from '../../domain/verdicts/heuristics.ts';
import { parseEach } from '../check-each.ts';
import {
  parseBoolean,
  parseChoice,
  parseId,
  parseLine,
  parseNullableLine,
  type RawFields,
  show,
} from '../field-parsers.ts';

const NAME_CHARACTERS_MAX = 200;
/** RFC 5321: 64 before the sign, 255 behind it, 254 in all. */
const EMAIL_CHARACTERS_MAX = 254;
const DETAIL_CHARACTERS_MAX = 255;
/** Quoted names, comments and lists are refused: programs read them in two ways, which may lead to a foreign mailbox. */
const EMAIL = /^[^\s@<>()[\]\\,;:"]{1,64}@[^\s@<>()[\]\\,;:"]{1,189}$/;

type Detail = keyof typeof ACCOUNT_DETAILS;
const DETAILS = Object.keys(ACCOUNT_DETAILS) as Detail[];

export type AccountChange = Partial<
  Pick<
    Account,
    'name' | 'email' | 'heuristic' | 'readonly' | 'c2paPolicy' | 'planId' | 'role' | 'partnerId' | Detail
  >
>;

/** Fields that an account may change itself; its partner or the administrator changes the others. */
export const OWN_FIELDS: readonly (keyof AccountChange)[] = ['name', 'heuristic', ...DETAILS];

export const ADMIN_FIELDS: readonly (keyof AccountChange)[] = ['role', 'partnerId'];

export function fieldNameOf(key: keyof AccountChange): string {
  return key === 'planId' ? 'pricing_id' : toSnakeCase(key);
}

export function parseAccountChange(fields: RawFields): AccountChange {
  const parsed = parseEach<{ [K in keyof AccountChange]-?: AccountChange[K] | undefined }>({
    name: () => parseLine(fields, 'name', NAME_CHARACTERS_MAX),
    email: () => (fields.email === undefined ? undefined : parseEmail(fields)),
    heuristic: () => parseChoice(fields, 'heuristic', HEURISTIC_NAMES),
    readonly: () => (fields.readonly === undefined ? undefined : parseBoolean(fields, 'readonly')),
    c2paPolicy: () =>
      fields.c2pa_policy === null ? null : parseChoice(fields, 'c2pa_policy', C2PA_POLICY.words),
    planId: () => (isAbsent(fields.pricing_id) ? undefined : parseId(fields, 'pricing_id')),
    role: (): Role | undefined => parseChoice(fields, 'role', ROLES),
    partnerId: () => (fields.partner_id === null ? null : optionalId(fields, 'partner_id')),
    ...parseDetails(fields),
  });
  return Object.fromEntries(Object.entries(parsed).filter(([, value]) => value !== undefined));
}

type DetailParsers = Record<Detail, () => string | null | undefined>;

function parseDetails(fields: RawFields): DetailParsers {
  const parsers = DETAILS.map((name) => [name, () => parseNullableLine(fields, name, DETAIL_CHARACTERS_MAX)]);
  return Object.fromEntries(parsers) as DetailParsers;
}

export function requireNameAndEmail({ name, email }: AccountChange): { name: string; email: string } {
  return parseEach<{ name: string; email: string }>({
    name: () => given('name', name),
    email: () => given('email', email),
  });
}

function given(field: string, value: string | undefined): string {
  if (value === undefined) throw badField(field, 'expected text, found nothing');
  return value;
}

export function parseEmail(fields: RawFields): string {
  const email = parseLine(fields, 'email', EMAIL_CHARACTERS_MAX);
  if (email === undefined || !EMAIL.test(email)) {
    throw badField('email', `expected an e-mail address like name@example.org, found ${show(fields.email)}`);
  }
  return email;
}

function optionalId(fields: RawFields, field: string): number | undefined {
  return isAbsent(fields[field]) ? undefined : parseId(fields, field);
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === '';

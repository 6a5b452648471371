/** Turns GraphQL input objects and identifiers into what the app reads under the documented names. */
import { parseId, type RawFields } from '../../../app/field-parsers.ts';
import { toSnakeCase } from '../../../domain/field.ts';

/** `pricingId` as the app names it: `pricing_id`. What is absent stays absent, null stays null. */
export function toRawFields(input: object): RawFields {
  const named = Object.entries(input).map(([name, value]) => [toSnakeCase(name), value]);
  return Object.fromEntries(named);
}

/** The number behind an identifier of an account, a plan or a key. */
export const toId = (id: string, field: string, min: 0 | 1): number => parseId({ [field]: id }, field, min);

/**
 * What a row of a noun's table says of one field. Facades derive what they write of a noun from its table, so a row is
 * the only place where a field's type, bounds and sentences stand. The types of the values follow from the rows.
 */

/** A set of words that a field may hold, under the name that the typed facades know it by. */
export interface Choice<Word extends string = string> {
  name: string;
  words: readonly Word[];
  description?: string;
}

/** `whole` fits 32 bits, `long` needs more; `moment` is in microseconds since 1970; `identifier` is opaque to clients. */
export type FieldType =
  | 'text'
  | 'flag'
  | 'whole'
  | 'long'
  | 'number'
  | 'moment'
  | 'identifier'
  | 'json'
  | { choice: Choice }
  | { noun: string; table?: Noun };

/** What any field may say of itself beside its type. */
export interface FieldNotes {
  /** Description in the typed facades; the protocols' own files say it in their own words. */
  readonly description?: string;
  /** The name in the documented interface, if it is different: the old one stays for one release beside it. */
  readonly documented?: string;
  /** A facade computes it, or leaves it out. */
  readonly isComputed?: true;
  /** The only words of a text that not every facade knows as a choice. */
  readonly words?: readonly string[];
}

export interface FieldRow extends FieldNotes {
  readonly type: FieldType;
  readonly isList?: true;
  readonly isNullable?: true;
}

/** `holds` is never set: it carries the type of the values, both ways, so that a forgotten null does not compile. */
export interface Field<Value> extends FieldRow {
  readonly holds?: (value: Value) => Value;
}

export type Fields = Readonly<Record<string, FieldRow>>;

/** A table with the name that the typed facades know the noun by. */
export interface Noun<Table extends Fields = Fields> {
  readonly name: string;
  readonly description?: string;
  readonly fields: Table;
}

/** The values that a table describes. */
export type ValuesOf<Table extends Fields> = {
  -readonly [Name in keyof Table]: Table[Name] extends Field<infer Value> ? Value : never;
};

/** For `satisfies`: a row for each field of a noun whose type stands beside its rules, and for nothing else. */
export type FieldsOf<Noun> = { readonly [Name in keyof Noun]-?: Field<Noun[Name]> };

export const text = <Value extends string = string>(notes: FieldNotes = {}): Field<Value> => ({
  ...notes,
  type: 'text',
});
export const flag = (notes: FieldNotes = {}): Field<boolean> => ({ ...notes, type: 'flag' });
export const whole = <Value extends number = number>(notes: FieldNotes = {}): Field<Value> => ({
  ...notes,
  type: 'whole',
});
export const long = (notes: FieldNotes = {}): Field<number> => ({ ...notes, type: 'long' });
export const number = (notes: FieldNotes = {}): Field<number> => ({ ...notes, type: 'number' });
export const moment = (notes: FieldNotes = {}): Field<number> => ({ ...notes, type: 'moment' });
export const identifier = <Id extends string | number>(notes: FieldNotes = {}): Field<Id> => ({
  ...notes,
  type: 'identifier',
});
export const json = <Value>(notes: FieldNotes = {}): Field<Value> => ({ ...notes, type: 'json' });

export function oneOf<Word extends string>(choice: Choice<Word>, notes: FieldNotes = {}): Field<Word> {
  return { ...notes, type: { choice } };
}

/** Another noun, by the name of its table. */
export function noun<Value>(name: string, notes: FieldNotes = {}): Field<Value> {
  return { ...notes, type: { noun: name } };
}

/** As noun, of a table that all facades take as it is: it is defined where it is first met. */
export function nounOf<Table extends Fields>(
  table: Noun<Table>,
  notes: FieldNotes = {},
): Field<ValuesOf<Table>> {
  return { ...notes, type: { noun: table.name, table } };
}

export function listOf<Value>({ holds: _, ...row }: Field<Value>): Field<Value[]> {
  return { ...row, isList: true };
}

export function nullable<Value>({ holds: _, ...row }: Field<Value>): Field<Value | null> {
  return { ...row, isNullable: true };
}

/** `withC2pa` in the documented interface and in messages: `with_c2pa`. */
export function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The rows of a table with their names, in its order. */
export function rowsOf<Table extends object>(
  table: Table,
): readonly [keyof Table & string, Table[keyof Table]][] {
  return Object.entries(table) as [keyof Table & string, Table[keyof Table]][];
}

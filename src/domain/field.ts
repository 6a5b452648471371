/** A row of a noun's table: the only place of a field's type, bounds and sentences, from which facades and types follow. */

/** A set of words that a field may hold, with its name in the typed facades. */
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

export interface FieldNotes {
  /** Description in the typed facades; the protos have words of their own. */
  readonly description?: string;
  /** The documented name, if it differs: the old one stays beside it for one release. */
  readonly documented?: string;
  /** The label on the page, in English and Italian; without one the page shows the field by hand. */
  readonly label?: readonly [en: string, it: string];
  /** A facade computes it, or leaves it out. */
  readonly isComputed?: true;
  /** The only words of a text, which not every facade has as a choice. */
  readonly words?: readonly string[];
}

export interface FieldRow extends FieldNotes {
  readonly type: FieldType;
  readonly isList?: true;
  readonly isNullable?: true;
  /** An identifier that is a number inside: of an account, a plan, a key or a rule. */
  readonly isNumber?: true;
  /** 0 means none. */
  readonly isNoneZero?: true;
}

/** `holds` is never set: it carries the type of the values, both ways, so that a forgotten null does not compile. */
export interface Field<Value> extends FieldRow {
  readonly holds?: (value: Value) => Value;
}

export type Fields = Readonly<Record<string, FieldRow>>;

/** A table with the noun's name in the typed facades. */
export interface Noun<Table extends Fields = Fields> {
  readonly name: string;
  /** Its name among the messages, if that differs. */
  readonly message?: string;
  readonly description?: string;
  readonly fields: Table;
}

export type ValuesOf<Table extends Fields> = {
  -readonly [Name in keyof Table]: Table[Name] extends Field<infer Value> ? Value : never;
};

/** For `satisfies`: a row for each field of a noun whose type stands beside its rules, and no other. */
export type FieldsOf<Noun> = { readonly [Name in keyof Noun]-?: Field<Noun[Name]> };

/** A sentence alone is the description. */
export type Said = string | FieldNotes;

export const notesOf = (said: Said): FieldNotes => (typeof said === 'string' ? { description: said } : said);

export const text = <Value extends string = string>(said: Said = {}): Field<Value> => row('text', said);
export const flag = (said: Said = {}): Field<boolean> => row('flag', said);
export const whole = <Value extends number = number>(said: Said = {}): Field<Value> => row('whole', said);
export const long = (said: Said = {}): Field<number> => row('long', said);
export const number = (said: Said = {}): Field<number> => row('number', said);
export const moment = (said: Said = {}): Field<number> => row('moment', said);
export const identifier = (said: Said = {}): Field<string> => row('identifier', said);
export const idNumber = (said: Said = {}): Field<number> => ({ ...row('identifier', said), isNumber: true });
export const idNumberOrNone = (said: Said = {}): Field<number> => ({ ...idNumber(said), isNoneZero: true });
export const json = <Value>(said: Said = {}): Field<Value> => row('json', said);

function row<Value>(type: FieldType, said: Said): Field<Value> {
  return { ...notesOf(said), type };
}

export function oneOf<Word extends string>(choice: Choice<Word>, said: Said = {}): Field<Word> {
  return row({ choice }, said);
}

/** Another noun, by the name of its table. */
export const noun = <Value>(name: string, said: Said = {}): Field<Value> => row({ noun: name }, said);

/** Like `noun`, with a table that all facades define where they first meet it. */
export function nounOf<Table extends Fields>(table: Noun<Table>, said: Said = {}): Field<ValuesOf<Table>> {
  return row({ noun: table.name, table }, said);
}

export function listOf<Value>({ holds: _, ...row }: Field<Value>): Field<Value[]> {
  return { ...row, isList: true };
}

export function nullable<Value>({ holds: _, ...row }: Field<Value>): Field<Value | null> {
  return { ...row, isNullable: true };
}

/** `withC2pa` is `with_c2pa` in the documented interface and in messages. */
export function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function rowsOf<Table extends object>(
  table: Table,
): readonly [keyof Table & string, Table[keyof Table]][] {
  return Object.entries(table) as [keyof Table & string, Table[keyof Table]][];
}

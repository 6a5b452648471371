/** Use cases as rows for gRPC and GraphQL; uploads, streams and REST stay in the facades, as rows would not save lines. */
import type { App } from '../app/appliance/app.ts';
import type { Principal } from '../app/callers/principal.ts';
import type { RawFields } from '../app/field-parsers.ts';
import type { Field, FieldRow, Fields } from '../domain/field.ts';

/** Forms with which nouns are written; each typed facade has an input of its own for them. */
export type FormName = 'account' | 'noticeRule' | 'plan' | 'user';

export interface InputRow extends FieldRow {
  /** The caller may leave it out. In gRPC an empty text and 0 count as left out. */
  readonly isOptional?: true;
  /** Value of a field that is left out, shown in the schema too. */
  readonly initial?: string | boolean;
  readonly form?: FormName;
  /** Marks the fields that page through a long list: how many lines, or the number of the last one seen. */
  readonly page?: 'limit' | 'before';
}

interface InputField<Value> extends InputRow {
  readonly holds?: (value: Value) => Value;
}

interface OptionalField<Value> extends InputField<Value> {
  readonly isOptional: true;
}

export type InputRows = Readonly<Record<string, InputRow>>;

type ValueOf<Row> = Row extends InputField<infer Value> ? Value : never;
type OptionalNames<Rows> = {
  [Name in keyof Rows]: Rows[Name] extends { isOptional: true } ? Name : never;
}[keyof Rows];

/** Type of a use case's input, from its rows. */
export type InputsOf<Rows> = {
  -readonly [Name in Exclude<keyof Rows, OptionalNames<Rows>>]: ValueOf<Rows[Name]>;
} & { -readonly [Name in OptionalNames<Rows>]?: ValueOf<Rows[Name]> };

export function optional<Value>(row: InputField<Value> | Field<Value>): OptionalField<Value> {
  return { ...row, isOptional: true };
}

export function initially<Value extends string | boolean>(
  initial: Value,
  row: Field<Value>,
): InputField<Value> {
  return { ...row, initial };
}

export const form = (name: FormName): InputField<RawFields> => ({ type: 'json', form: name });

/** Input of an operation that answers with a page. */
export function pageInput(): {
  limit: InputField<number>;
  before: OptionalField<number>;
} {
  return { limit: limit(), before: optional({ type: 'text', page: 'before' }) };
}

/** How many lines, bounded as every page is; the sentence comes before the bounds. */
export function limit(sentence = ''): InputField<number> {
  return { type: 'whole', page: 'limit', description: sentence };
}

export interface Answer<Value = unknown> {
  readonly fields: Fields;
  /** `one`: the only field; `itself`: the rpc's message, in GraphQL the field; `several`: each field; `page`: newest first. */
  readonly shape: 'one' | 'itself' | 'several' | 'page';
  readonly page?: PageNotes;
  readonly holds?: (value: Value) => Value;
}

export function one<Value>(name: string, field: Field<Value>): Answer<Value> {
  return { shape: 'one', fields: { [name]: field } };
}

export function itself<Value>(name: string, field: Field<Value>): Answer<Value> {
  return { shape: 'itself', fields: { [name]: field } };
}

export function several<Table extends Fields>(
  fields: Table,
): Answer<{ [Name in keyof Table]: Table[Name] extends Field<infer Value> ? Value : never }> {
  return { shape: 'several', fields };
}

export interface PageNotes {
  /** The field of a line that the next page continues from. */
  readonly cursor: string;
  /** Cursor of the very first line; if absent, a page that is not full is the last. */
  readonly first?: number;
}

export function page<Line>(
  name: string,
  line: Field<Line>,
  notes: { cursor: keyof Line & string; first?: number },
): Answer<Line[]> {
  return { shape: 'page', fields: { [name]: line }, page: notes };
}

interface Notes {
  /** Null: only GraphQL offers it. */
  readonly rpc?: null;
  /** Description in GraphQL; the role is added to it. */
  readonly description?: string;
  /** GraphQL takes this input object instead of arguments. */
  readonly inputObject?: { readonly name: string; readonly description?: string };
  /** The least role that is let through; the use case itself refuses others. */
  readonly role?: 'admin' | 'partner';
  /** A read-only account may do it too. Every account may run queries. */
  readonly isForReaders?: true;
}

interface Row<In extends InputRows, Value> extends Notes {
  readonly input?: In;
  readonly answer: Answer<Value>;
  readonly run: (
    app: App,
    input: { principal: Principal } & InputsOf<In>,
    signal: AbortSignal,
  ) => NoInfer<Value> | Promise<NoInfer<Value>>;
}

interface QueryNotes {
  /** Name of the query if it is not that of the answer's field; null: GraphQL has it elsewhere. */
  readonly field?: string | null;
}

interface MutationNotes<Value> {
  /** GraphQL answers with `<payload>Payload`. */
  readonly payload: string;
  /** Values of the fields that are never null, for a refused mutation. */
  readonly whenRefused?: Partial<Value> | Readonly<Record<string, unknown>>;
  /** Allowed before the caller has accepted the terms of service. */
  readonly isBeforeTerms?: true;
}

export interface Operation extends Notes, QueryNotes, Omit<Partial<MutationNotes<never>>, 'whenRefused'> {
  readonly kind: 'query' | 'mutation';
  readonly input: InputRows;
  readonly answer: Answer;
  readonly whenRefused?: Readonly<Record<string, unknown>>;
  readonly run: (app: App, input: { principal: Principal }, signal: AbortSignal) => unknown;
}

export function query<In extends InputRows = Record<never, never>, Value = unknown>(
  row: Row<In, Value> & QueryNotes,
): Operation {
  return { input: {}, ...row, kind: 'query' } as unknown as Operation;
}

export function mutation<In extends InputRows = Record<never, never>, Value = unknown>(
  row: Row<In, Value> & MutationNotes<NoInfer<Value>>,
): Operation {
  return { input: {}, ...row, kind: 'mutation' } as unknown as Operation;
}

/**
 * Use cases as data. A row says of an operation what gRPC and GraphQL need to offer it; both walk the rows and hold no code
 * of their own for one. Uploads, streams and the documented REST stay in the facades: rows of them would hold more exceptions
 * than they save.
 */
import type { App } from '../app/appliance/app.ts';
import type { Principal } from '../app/callers/principal.ts';
import type { RawFields } from '../app/field-parsers.ts';
import type { Field, FieldRow, Fields } from '../domain/field.ts';

/** Fields that a noun is written with; each typed facade has an input of its own for them. */
export type FormName = 'account' | 'noticeRule' | 'plan' | 'user';

/** A field of what an operation takes. */
export interface InputRow extends FieldRow {
  /** The caller may leave it out; the use case then gets none. In gRPC an empty text and 0 are none. */
  readonly isOptional?: true;
  /** Value of the one that is left out, in the schema too. */
  readonly initial?: string | boolean;
  readonly form?: FormName;
  /** Which lines of a long list: how many, or the number of the last one seen. */
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

/** What a use case is given of the rows of its input. */
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

export function form(name: FormName): InputField<RawFields> {
  return { type: 'json', form: name };
}

/** Input of an operation that answers with a page. */
export function pageInput(sentence = ''): {
  limit: InputField<number>;
  before: OptionalField<number>;
} {
  return { limit: limit(sentence), before: optional({ type: 'text', page: 'before' }) };
}

/** How many, bounded as every page is; the sentence stands before the bounds. */
export function limit(sentence = ''): InputField<number> {
  return { type: 'whole', page: 'limit', description: sentence };
}

/** What an operation answers with. */
export interface Answer<Value = unknown> {
  readonly fields: Fields;
  /**
   * `one`: the use case's value is that of the only field. `itself`: so it is, and the message of the rpc is the value itself,
   * while GraphQL has it in the field. `several`: the value holds each field. `page`: lines of a list, newest first.
   */
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
  /** The field of a line that the next page begins before. */
  readonly cursor: string;
  /** Cursor of the first of all lines; absent: a page that is not full is the last. */
  readonly first?: number;
}

export function page<Line>(
  name: string,
  line: Field<Line>,
  notes: { cursor: keyof Line & string; first?: number },
): Answer<Line[]> {
  return { shape: 'page', fields: { [name]: line }, page: notes };
}

/** What any row may say. */
interface Notes {
  /** Null: only GraphQL offers it. */
  readonly rpc?: null;
  /** Description in GraphQL; who may call it is added from the role. */
  readonly description?: string;
  /** The input object that GraphQL has in the place of arguments. */
  readonly inputObject?: { readonly name: string; readonly description?: string };
  /** The least role that is let through; the use case itself refuses the others. */
  readonly role?: 'admin' | 'partner';
  /** A read-only account may do it too, as everybody may ask a query. */
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
  /** What fields that are never null hold if the mutation was refused. */
  readonly whenRefused?: Partial<Value> | Readonly<Record<string, unknown>>;
  /** Also for who has not accepted the terms of service. */
  readonly isBeforeTerms?: true;
}

/** A row as the facades walk it. */
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

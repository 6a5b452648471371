/** GraphQL types made of the tables of the nouns; a facade's own file adds only what is computed. */
import type { FieldRow, Fields, FieldType, Noun, ValuesOf } from '../../domain/field.ts';
import { builder, enumOf, renamedTo } from './builder.ts';

type ObjectRef<Value> = ReturnType<typeof builder.objectRef<Value>>;

const objects = new Map<string, unknown>();

/** The type that fields of other nouns refer to by this name. */
export function nameType<Value>(name: string): ObjectRef<Value> {
  const type = builder.objectRef<Value>(name);
  objects.set(name, type);
  return type;
}

/** An interface, under the name that rows have for it. */
export function nameInterface(name: string, type: unknown): void {
  objects.set(name, type);
}

export function defineNoun<Value extends object>({ name, description, fields }: Noun): ObjectRef<Value> {
  const type = nameType<Value>(name);
  const notes = description === undefined ? {} : { description };
  type.implement({ ...notes, fields: (t) => fieldsOf(t, fields) });
  return type;
}

/** A type that a table has defined. */
export function findType<Value>(name: string): ObjectRef<Value> {
  const type = objects.get(name);
  if (type === undefined) throw new Error(`no table defines ${name}`);
  return type as ObjectRef<Value>;
}

const SCALARS = {
  text: 'String',
  flag: 'Boolean',
  whole: 'Int',
  long: 'Long',
  number: 'Float',
  moment: 'DateTime',
  identifier: 'ID',
  json: 'JSON',
} as const;

function typeOf(type: FieldType): unknown {
  if (typeof type === 'string') return SCALARS[type];
  if ('choice' in type) return enumOf(type.choice);
  return type.table === undefined ? objects.get(type.noun) : typeOfNoun(type.table);
}

/** The type of a table, defined when it is first asked for. */
export function typeOfNoun<Table extends Fields>(noun: Noun<Table>): ObjectRef<ValuesOf<Table>> {
  const known = objects.get(noun.name);
  return known === undefined ? defineNoun(noun) : (known as ObjectRef<ValuesOf<Table>>);
}

/** Pothos' builders infer types from literals; a walk over a table has none. */
interface LooseBuilder<Ref> {
  field(options: object): Ref;
}

/** The fields of an object that its values hold under the same names; computed ones are left to the caller. */
export function fieldsOf<Ref>(t: { field(options: never): Ref }, table: Fields): Record<string, Ref> {
  const loose = t as LooseBuilder<Ref>;
  const fields: Record<string, Ref> = {};
  for (const [name, row] of Object.entries(table)) {
    if (row.isComputed) continue;
    const { documented } = row;
    const resolve = (value: Readonly<Record<string, unknown>>): unknown => value[name];
    const shape = { ...shapeOf(row), nullable: row.isNullable === true, resolve };
    const notes = notesOf(row);
    fields[documented ?? name] = loose.field({ ...shape, ...notes });
    if (documented !== undefined)
      fields[name] = loose.field({ ...shape, deprecationReason: renamedTo(documented) });
  }
  return fields;
}

/** The same as fields of an input, none of them required. */
export function inputFieldsOf<Ref>(t: { field(options: never): Ref }, table: Fields): Record<string, Ref> {
  const rows = Object.entries(table).filter(([, { isComputed }]) => !isComputed);
  return Object.fromEntries(
    rows.map(([name, row]) => [name, (t as LooseBuilder<Ref>).field({ ...shapeOf(row), ...notesOf(row) })]),
  );
}

function notesOf({ description }: FieldRow): { description?: string } {
  return description === undefined ? {} : { description };
}

export function shapeOf({ type, isList }: FieldRow): { type: unknown } {
  return { type: isList === true ? [typeOf(type)] : typeOf(type) };
}

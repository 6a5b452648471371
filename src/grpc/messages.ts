/** Domain values as messages and back, by descriptors: names, enum words and times fit; other fields are exceptions. */
import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type MessageInitShape,
  type MessageShape,
  ScalarType,
} from '@bufbuild/protobuf';
import { fromTimestamp, type SplitTime, toTimestamp } from '../domain/time.ts';

/** What a field takes instead of the value of its name; a oneof takes `{case, value}`. Undefined leaves it out. */
export type Exceptions<Value> = Readonly<Record<string, (value: Value) => unknown>>;

/** By the full names of the messages that have any, so that they hold wherever such a message lies inside another. */
export type ExceptionsOf = Readonly<Record<string, Exceptions<never>>>;

type Values = Readonly<Record<string, unknown>>;

interface OneofValue {
  case: string;
  value: unknown;
}

/** The fields of a message that a plain object gives, for `create` to complete. Null and absent are the same. */
export function toMessage<S extends DescMessage>(
  schema: S,
  value: object,
  exceptions: ExceptionsOf = {},
): MessageInitShape<S> {
  const own = (exceptions[schema.typeName] ?? {}) as Exceptions<object>;
  const message: Record<string, unknown> = {};
  for (const field of schema.fields) {
    const { localName, oneof } = field;
    const name = oneof?.localName ?? localName;
    const exception = own[name];
    const found = exception === undefined ? (value as Values)[name] : exception(value);
    if (found === undefined || found === null) continue;
    if (oneof === undefined) message[name] = toField(field, found, exceptions);
    else if ((found as OneofValue).case === localName) {
      message[name] = { case: localName, value: toField(field, (found as OneofValue).value, exceptions) };
    }
  }
  return message as MessageInitShape<S>;
}

function toField(field: DescField, value: unknown, exceptions: ExceptionsOf): unknown {
  const one = (item: unknown): unknown => {
    if (field.enum !== undefined) return toEnumValue(field.enum, item as string);
    if (field.message !== undefined) return toInner(field.message, item, exceptions);
    return isLong(field.scalar) ? BigInt(item as number) : item;
  };
  if (field.fieldKind === 'list') return (value as unknown[]).map(one);
  if (field.fieldKind === 'map') {
    return Object.fromEntries(Object.entries(value as Values).map(([key, item]) => [key, one(item)]));
  }
  return one(value);
}

function toInner(schema: DescMessage, value: unknown, exceptions: ExceptionsOf): unknown {
  if (schema.typeName === 'google.protobuf.Timestamp') return toTimestamp(value as number);
  // The round trip drops what JSON cannot hold, such as undefined.
  if (schema.typeName === 'google.protobuf.Struct') return JSON.parse(JSON.stringify(value));
  if (isListOfItsOwn(schema)) return toMessage(schema, { values: value }, exceptions);
  return toMessage(schema, value as object, exceptions);
}

/** A list in a message of its own, so that an empty one differs from none. */
function isListOfItsOwn({ fields: [first, ...others] }: DescMessage): boolean {
  return first?.name === 'values' && others.length === 0;
}

/** How an enum value is taken that no word stands for: an enum is open on the wire. */
export type Unlisted = (value: number, field: string) => unknown;

/** Named as in docs/interface.md. What the message leaves out is undefined, and so is an unspecified enum value. */
export function fromMessage<S extends DescMessage>(
  schema: S,
  message: MessageShape<S>,
  unlisted: Unlisted,
): Record<string, unknown> {
  const values = message as unknown as Values;
  return Object.fromEntries(
    schema.fields.map((field) => [
      field.name,
      fromField(field, values[field.localName], unlisted, field.name),
    ]),
  );
}

/** The value of one field; `name` is what faults call it. */
export function fromField(field: DescField, value: unknown, unlisted: Unlisted, name: string): unknown {
  if (value === undefined) return undefined;
  const { enum: words, message: schema } = field;
  const one = (item: unknown): unknown => {
    if (words !== undefined) return fromEnumValue(words, item as number, name, unlisted);
    if (schema !== undefined) return fromInner(schema, item as Values, unlisted, name);
    return typeof item === 'bigint' ? Number(item) : item;
  };
  if (field.fieldKind === 'list') return (value as unknown[]).map((item) => one(item) ?? unlisted(0, name));
  if (field.fieldKind !== 'map') return one(value);
  return Object.fromEntries(Object.entries(value as Values).map(([key, item]) => [key, one(item)]));
}

function fromInner(schema: DescMessage, value: Values, unlisted: Unlisted, name: string): unknown {
  if (schema.typeName === 'google.protobuf.Timestamp') return fromTimestamp(value as unknown as SplitTime);
  const [first] = schema.fields;
  if (first !== undefined && isListOfItsOwn(schema)) return fromField(first, value.values, unlisted, name);
  return fromMessage(schema, value as unknown as MessageShape<DescMessage>, unlisted);
}

interface Words {
  numbers: ReadonlyMap<string, number>;
  words: ReadonlyMap<number, string>;
}

const wordsOfEnums = new WeakMap<DescEnum, Words>();

/** `KEY_FRAME_METHOD_FLOW` of `KeyFrameMethod` is the word `flow`; the value 0 stands for none. */
function wordsOf(schema: DescEnum): Words {
  const known = wordsOfEnums.get(schema);
  if (known !== undefined) return known;
  const listed = schema.values.filter(({ number }) => number !== 0);
  const rows = listed.map(
    ({ name, number }) => [name.slice(schema.sharedPrefix?.length ?? 0).toLowerCase(), number] as const,
  );
  const words = { numbers: new Map(rows), words: new Map(rows.map(([word, number]) => [number, word])) };
  wordsOfEnums.set(schema, words);
  return words;
}

/** Throws if the messages lack a word of ours. */
export function toEnumValue(schema: DescEnum, word: string): number {
  const number = wordsOf(schema).numbers.get(word);
  if (number === undefined) throw new Error(`${schema.typeName} has no value for ${word}`);
  return number;
}

export function fromEnumValue(schema: DescEnum, value: number, field: string, unlisted: Unlisted): unknown {
  if (value === 0) return undefined;
  return wordsOf(schema).words.get(value) ?? unlisted(value, field);
}

const LONGS: readonly (ScalarType | undefined)[] = [
  ScalarType.INT64,
  ScalarType.UINT64,
  ScalarType.SINT64,
  ScalarType.FIXED64,
  ScalarType.SFIXED64,
];

const isLong = (scalar: ScalarType | undefined): boolean => LONGS.includes(scalar);

/** Cells of a table from the fields of messages. */
import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { isMessage } from '@bufbuild/protobuf';
import { TimestampSchema } from '@bufbuild/protobuf/wkt';
import { fromEnumValue } from '../../grpc/messages.ts';
import { formatTimestamp } from './timestamp.ts';

/** The field of that name, with a text for an absent or empty one, or a value made of several fields. */
type Column<Item> =
  | (keyof Item & string)
  | readonly [keyof Item & string, none: string]
  | ((item: Item) => string);

/** By their heads. */
export type Columns<Item> = Readonly<Record<string, Column<Item>>>;

export function headOf(columns: Readonly<Record<string, unknown>>): string[] {
  // Heads without words differ only by their spaces.
  return Object.keys(columns).map((head) => head.trim());
}

export function toCells<Item extends object>(
  schema: DescMessage,
  columns: Columns<Item>,
  item: Item,
): string[] {
  return Object.values(columns).map((column: Column<Item>) => {
    if (typeof column === 'function') return column(item);
    const [name, none]: readonly [keyof Item & string, string] =
      typeof column === 'string' ? [column, ''] : column;
    return toCell(schema.field[name], item[name]) || none;
  });
}

/** Times to the second, words without underscores, nothing for absent values. */
function toCell(field: DescField | undefined, value: unknown): string {
  if (Array.isArray(value)) return value.map((one) => toCell(field, one)).join(', ');
  if (value === undefined || isMessage(value, TimestampSchema)) return formatTimestamp(value);
  if (field?.enum === undefined) return String(value);
  return String(fromEnumValue(field.enum, Number(value), field.name, String) ?? '').replaceAll('_', ' ');
}

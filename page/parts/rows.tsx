/** Tables as rows: a column says what it shows of an item. */
import type { ComponentChildren, JSX } from 'preact';
import { More, type Paged } from './paged.tsx';
import { Button, Table } from './parts.tsx';

/** A column: its head, what it shows of an item, and the class of its cells. */
export type Column<Item> = readonly [
  head: string,
  cell: (item: Item) => ComponentChildren,
  kind?: 'figure' | 'long',
];

/** A button in each line, or only in the lines for which `when` holds. */
export interface LineAction<Item> {
  readonly text: string;
  readonly when?: (item: Item) => boolean;
  readonly press: (item: Item) => unknown;
}

interface RowsProps<Item> {
  caption: string;
  items: readonly Item[];
  keyOf: (item: Item) => string;
  columns: readonly Column<Item>[];
  actions?: readonly LineAction<Item>[];
  /** The accessible head of a column of buttons. */
  nameOf?: (item: Item) => string;
  isBusy?: boolean;
}

export function Rows<Item>(props: RowsProps<Item>): JSX.Element {
  const { caption, items, keyOf, columns, actions = [], nameOf, isBusy = false } = props;
  const heads = columns.map(([head]) => head);
  return (
    <Table {...{ caption }} head={actions.length === 0 ? heads : [...heads, '']}>
      {items.map((item) => (
        <tr key={keyOf(item)}>
          {columns.map(([head, cell, kind]) => (
            <td key={head} class={kind}>
              {cell(item)}
            </td>
          ))}
          {actions.length > 0 && (
            <td class={nameOf && 'actions'}>
              {actions.map(({ text, when, press }) => {
                if (when?.(item) === false) return null;
                const label = nameOf === undefined ? {} : { label: `${text}: ${nameOf(item)}` };
                return (
                  <Button key={text} {...label} {...{ isBusy }} onPress={() => void press(item)}>
                    {text}
                  </Button>
                );
              })}
            </td>
          )}
        </tr>
      ))}
    </Table>
  );
}

interface PagedRowsProps<Item> extends Omit<RowsProps<Item>, 'items'> {
  of: Paged<Item>;
  /** Shown in place of an empty table. */
  none?: JSX.Element;
}

/** The pages that were read so far, and a button for the next. */
export function PagedRows<Item>({ of, none, ...rows }: PagedRowsProps<Item>): JSX.Element {
  const isEmpty = of.nodes.length === 0 && none !== undefined;
  return (
    <>
      {isEmpty ? !of.isLoading && none : <Rows {...rows} items={of.nodes} />}
      <More {...of} />
    </>
  );
}

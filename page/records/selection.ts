/** The chosen records. They stay chosen while the reader filters, loads more, or opens one and comes back. */
import type { ListedRecord } from '../gen/documents.ts';
import { Cell } from '../state/cell.ts';

/** A bound for one action: each record is deleted and packed by itself. */
export const CHOSEN_MAX = 1000;

export type Selection = ReadonlyMap<string, ListedRecord>;

export const selection = new Cell<Selection>(new Map());

export function choose(records: readonly ListedRecord[], isChosen: boolean): void {
  const next = new Map(selection.get());
  for (const record of records) {
    if (!isChosen) next.delete(record.identifier);
    else if (next.size < CHOSEN_MAX) next.set(record.identifier, record);
  }
  selection.set(next);
}

export function toggle(record: ListedRecord): void {
  choose([record], !selection.get().has(record.identifier));
}

export function clearSelection(): void {
  selection.set(new Map());
}

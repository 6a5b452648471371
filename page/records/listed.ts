/** The list as its reader last saw it: the records before and after one, and the filter to go back to. */
import { Cell } from '../state/cell.ts';
import { read, write } from '../state/theme.ts';

export interface Listed {
  identifiers: readonly string[];
  /** The address of the list, with its filter. */
  path: string;
}

export const listed = new Cell<Listed | null>(null);

const STORAGE_KEY = 'assay.seen';

/** When this browser last left the list; null at its first visit, to which nothing is new. */
export const lastVisit = (): string | null => read(STORAGE_KEY);

export function leaveList(): void {
  write(STORAGE_KEY, new Date().toISOString());
}

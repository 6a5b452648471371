/** Rows for a person, with borders. */
import Table from 'cli-table3';
import { showText } from '../../domain/shown-text.ts';

export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const table = new Table({ head: [...head], style: { head: [], border: [] } });
  for (const row of rows) table.push(row.map(showText));
  return table.toString();
}

/** Rows without borders, for lists that other programs split. */
import { showText } from '../../domain/shown-text.ts';

export function formatColumns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  const shownRows = rows.map((row) => row.map(showText));
  for (const row of shownRows)
    row.forEach((cell, i) => {
      widths[i] = Math.max(widths[i] ?? 0, cell.length);
    });
  return shownRows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

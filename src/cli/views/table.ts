/** Rows for a person, with borders. Library tables with cells over several rows take time quadratic in the rows. */
import stringWidth from 'string-width';
import { showText } from '../../domain/shown-text.ts';

/** Missing cells at a row's end are empty. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const shown = [head, ...rows].map((row) => row.map(showText));
  const widths = widthsOf(shown);
  const border = (left: string, between: string, right: string) =>
    left + widths.map((width) => '─'.repeat(width + 2)).join(between) + right;
  const lines = shown.map((row) => drawRow(row, widths));
  const separator = `\n${border('├', '┼', '┤')}\n`;
  return [border('┌', '┬', '┐'), lines.join(separator), border('└', '┴', '┘')].join('\n');
}

function widthsOf(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, stringWidth(cell));
    });
  return widths;
}

function drawRow(row: readonly string[], widths: readonly number[]): string {
  const cells = widths.map((width, column) => {
    const cell = row[column] ?? '';
    return ` ${cell}${' '.repeat(width - stringWidth(cell))} `;
  });
  return `│${cells.join('│')}│`;
}

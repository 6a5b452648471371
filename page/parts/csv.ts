/** Rows as CSV (RFC 4180) that a spreadsheet opens without computing what strangers wrote. */
import { safeCell } from '../../src/domain/sheets/formula-cell.ts';
import { BYTE_ORDER_MARK, type Cell } from '../../src/domain/sheets/sheet-columns.ts';
import { showText } from '../../src/domain/shown-text.ts';

export function toCsv(rows: readonly (readonly Cell[])[]): string {
  return BYTE_ORDER_MARK + [...rows.map((row) => row.map(quote).join(',')), ''].join('\r\n');
}

function quote(value: Cell): string {
  const text = showText(String(value ?? ''));
  const safe = typeof value === 'string' ? safeCell(text) : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

export function download(text: string, name: string, type: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

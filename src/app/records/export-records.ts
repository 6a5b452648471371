/** Streams all records of a filter as a sheet, with a page in memory at a time. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { refusedLine, type SheetFormat, sheetHead, sheetLine } from '../../domain/answers/record-sheet.ts';
import { summaryOf } from '../../domain/answers/record-summary.ts';
import type { MediaKind } from '../../domain/media/media.ts';
import type { Principal } from '../callers/principal.ts';
import type { RawFields } from '../field-parsers.ts';
import { listClassifications } from './classifications.ts';
import { convertEntries } from './find-records.ts';
import type { RecordParts } from './parts.ts';

export interface ExportInput {
  principal: Principal;
  kind?: MediaKind | undefined;
  /** As record-filter.ts reads it. */
  filter: RawFields;
  format: SheetFormat;
}

/** Records of a piece: other calls are answered between two. */
const PAGE_RECORDS = 100;

/** Newest first. Faults of the filter are thrown before the first piece. */
export async function* exportRecords(
  app: RecordParts,
  { format, ...query }: ExportInput,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let page = listClassifications(app, { ...query, limit: PAGE_RECORDS });
  yield sheetHead(format);
  for (;;) {
    const rows = convertEntries(app, page.entries, (record) => sheetLine(summaryOf(record), format));
    const lines = rows.map(({ record: line, refused }) => line ?? refusedLine(refused, format));
    if (lines.length > 0) yield lines.join('');
    if (page.nextCursor === null) return;
    await nextTurn();
    signal.throwIfAborted();
    page = listClassifications(app, { ...query, limit: PAGE_RECORDS, cursor: page.nextCursor });
  }
}

/** A dropped sheet of addresses: what it holds, how far it is, and the sheet with verdicts to save, also when stopped. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { RESULT_COLUMNS, type RowResult, toCell } from '../../src/domain/sheets/sheet-columns.ts';
import { showText } from '../../src/domain/shown-text.ts';
import { download, toCsv } from '../parts/csv.ts';
import { formatBytes, formatNumber } from '../parts/format.ts';
import { Button, Notice, Panel } from '../parts/parts.tsx';
import { t } from '../texts/language.ts';
import { type PageSheet, readSheet, SHEET_BYTES_MAX, SHEET_ROWS_MAX, type SheetFault } from './sheet-rows.ts';
import { runSheet } from './sheet-run.ts';
import type { SubmitOptions } from './uploads.ts';

export function SheetPanel({ file, submission }: { file: File; submission: SubmitOptions }): JSX.Element {
  const [sheet, setSheet] = useState<PageSheet | SheetFault | null>(null);
  const [broken, setBroken] = useState<string | null>(null);
  useEffect(() => {
    readSheet(file).then(setSheet, (error: unknown) => setBroken(String(error)));
  }, []);
  return (
    <Panel title={t('sheetTitle', { name: showText(file.name) })}>
      {broken !== null && <Notice kind="bad">{t('sheetBroken', { reason: showText(broken) })}</Notice>}
      {sheet === 'sheetNoColumn' && <Notice kind="bad">{t('sheetNoColumn')}</Notice>}
      {sheet === 'sheetTooLong' && (
        <Notice kind="bad">
          {t('sheetTooLong', { rows: formatNumber(SHEET_ROWS_MAX), size: formatBytes(SHEET_BYTES_MAX) })}
        </Notice>
      )}
      {sheet !== null && typeof sheet === 'object' && (
        <SheetRun {...{ sheet, submission }} name={file.name.replace(/\.\w+$/, '')} />
      )}
    </Panel>
  );
}

interface SheetRunProps {
  sheet: PageSheet;
  submission: SubmitOptions;
  name: string;
}

function SheetRun({ sheet, submission, name }: SheetRunProps): JSX.Element {
  const results = useRef(new Map<number, RowResult>());
  const running = useRef<AbortController | null>(null);
  const [done, setDone] = useState(0);
  const [isRunning, setRunning] = useState(false);
  useEffect(() => () => running.current?.abort(), []);
  const start = async (): Promise<void> => {
    const controller = new AbortController();
    running.current = controller;
    results.current.clear();
    setDone(0);
    setRunning(true);
    const report = (index: number, result: RowResult): void => {
      results.current.set(index, result);
      setDone(results.current.size);
    };
    await runSheet(sheet, submission, report, controller.signal);
    setRunning(false);
  };
  const save = (): void => {
    const width = sheet.head.length;
    const rows = sheet.rows.map(({ cells }, index) => [
      ...Array.from({ length: width }, (_, at) => cells[at] ?? ''),
      ...RESULT_COLUMNS.map((column) => toCell(results.current.get(index)?.[column] ?? '')),
    ]);
    download(toCsv([[...sheet.head, ...RESULT_COLUMNS], ...rows]), `${name}-assay.csv`, 'text/csv');
  };
  const count = formatNumber(sheet.rows.length);
  return (
    <>
      <p>{t('sheetRows', { count, column: showText(sheet.column) })}</p>
      <p role="status">
        {(isRunning || done > 0) && t('sheetProgress', { done: formatNumber(done), count })}
      </p>
      <p class="actions">
        {isRunning ? (
          <Button onPress={() => running.current?.abort()}>{t('sheetStop')}</Button>
        ) : (
          <Button kind="main" onPress={() => void start()}>
            {t('sheetStart')}
          </Button>
        )}
        <Button isDisabled={done === 0} onPress={save}>
          {t('sheetSave')}
        </Button>
      </p>
    </>
  );
}

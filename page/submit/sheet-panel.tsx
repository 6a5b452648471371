/** A dropped sheet of addresses: what it holds, how far it is, and the sheet with verdicts to save, also when stopped. */

import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import {
  failedRow,
  RESULT_COLUMNS,
  type RowResult,
  toCell,
  toReadingCells,
} from '../../src/domain/sheets/sheet-columns.ts';
import { showText } from '../../src/domain/shown-text.ts';
import { READ_SHEET_RECORD, type ReadSheetRecordAnswer, SUBMIT_MEDIA } from '../gen/documents.ts';
import { ApiError, ask, change, sentenceOf } from '../parts/api.ts';
import { download, toCsv } from '../parts/csv.ts';
import { formatBytes, formatNumber } from '../parts/format.ts';
import { Button, Notice, Panel } from '../parts/parts.tsx';
import { t } from '../texts/language.ts';
import {
  kindOfAddress,
  type PageSheet,
  readSheet,
  SHEET_BYTES_MAX,
  SHEET_ROWS_MAX,
  type SheetFault,
} from './sheet-rows.ts';
import { type SubmitOptions, toFields } from './uploads.ts';

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

/** The daemon fetches and judges several at once; more of ours would only wait there. */
const ROWS_AT_ONCE = 4;
const LOOK_EVERY_MS = 1500;
/** A busy daemon is asked again so often; then the row counts as failed. */
const TRIES_MAX = 8;
const RETRY_MS = 5000;

/**
 * The rows of a sheet on their way, a few at a time: each submitted as an address and followed to its end. Resolves when all
 * rows have ended or `signal` aborts; `report` is called with each.
 */
async function runSheet(
  { rows }: PageSheet,
  submission: SubmitOptions,
  report: (index: number, result: RowResult) => void,
  signal: AbortSignal,
): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < rows.length && !signal.aborted) {
      const index = next;
      next += 1;
      const result = await judge(rows[index]?.source ?? '', submission, signal);
      if (!signal.aborted) report(index, result);
    }
  };
  await Promise.all(Array.from({ length: ROWS_AT_ONCE }, work));
}

async function judge(source: string, submission: SubmitOptions, signal: AbortSignal): Promise<RowResult> {
  if (!/^https?:\/\//i.test(source)) return failedRow(t('sheetNoAddress'));
  let identifier = '';
  try {
    identifier = await submit(source, submission, signal);
    for (;;) {
      const { classification } = await ask(READ_SHEET_RECORD, { identifier }, signal);
      if (classification.status !== 'NEW') return toResult(identifier, classification);
      await pause(LOOK_EVERY_MS, signal);
    }
  } catch (error) {
    return failedRow(sentenceOf(error), identifier);
  }
}

async function submit(fileUrl: string, submission: SubmitOptions, signal: AbortSignal): Promise<string> {
  const about = { fileUrl, kind: kindOfAddress(fileUrl), priority: 'BATCH' as const };
  const input = { ...about, options: submission.options, ...toFields(submission) };
  for (let tries = 1; ; tries += 1) {
    try {
      return (await change(SUBMIT_MEDIA, { input })).classification.identifier;
    } catch (error) {
      const isBusy = error instanceof ApiError && error.code === 'RESOURCE_EXHAUSTED';
      if (!isBusy || tries === TRIES_MAX || signal.aborted) throw error;
      await pause(RETRY_MS, signal);
    }
  }
}

function toResult(identifier: string, record: ReadSheetRecordAnswer['classification']): RowResult {
  const { status, errors, resultUrl, forceClassification, verdict, assessment, provenance } = record;
  const formal = (forceClassification ?? verdict?.classification ?? '').toLowerCase();
  const reasons = (assessment?.reasons ?? []).map(({ sentence }) => sentence);
  const word = status === 'DONE' ? formal : 'failed';
  return {
    assay_identifier: identifier,
    verdict: word,
    assessment: assessment?.state.toLowerCase() ?? '',
    probability: assessment?.probability ?? null,
    reasons,
    link: resultUrl,
    error: errors,
    ...toReadingCells(provenance?.readings),
  };
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** The rows of a sheet on their way, a few at a time: each submitted as an address and followed to its end. */
import { failedRow, type RowResult, toReadingCells } from '../../src/domain/sheets/sheet-columns.ts';
import { READ_SHEET_RECORD, type ReadSheetRecordAnswer, SUBMIT_MEDIA } from '../gen/documents.ts';
import { ApiError, ask, change, sentenceOf } from '../parts/api.ts';
import { t } from '../texts/language.ts';
import { kindOfAddress, type PageSheet } from './sheet-rows.ts';
import { type SubmitOptions, toFields } from './uploads.ts';

/** The daemon fetches and judges several at once; more of ours would only wait there. */
const ROWS_AT_ONCE = 4;
const LOOK_EVERY_MS = 1500;
/** A busy daemon is asked again so often; then the row counts as failed. */
const TRIES_MAX = 8;
const RETRY_MS = 5000;

/** Resolves when all rows have ended or `signal` aborts; `report` is called with each. */
export async function runSheet(
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

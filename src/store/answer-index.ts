/** The index of answers: whether it is complete, agrees with the records, and how it is made anew beside running work. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ANSWER_CLASS_VERSION } from '../domain/records/answer-class.ts';
import { type IndexMade, type IndexParts, type IndexStep, makeIndex } from './index-making.ts';
import { ANSWERS_COMPLETE, areAnswersComplete, currentClass, indexRecord } from './records/record-rows.ts';
import { referenceDigest } from './tables/collections.ts';
import { readMeta, type StoreMeta, type Tables } from './tables/schema.ts';

/** All other work waits for one such transaction, some ten milliseconds. */
const BATCH = 100;

/** Gives each record its class by the present rules; records written meanwhile have theirs already. */
export async function makeAnswers({ tables, transact }: IndexParts, signal: AbortSignal): Promise<IndexMade> {
  let after = placeOf(readMeta(tables));
  const step = async (): Promise<IndexStep> => {
    const batch = tables.classifications.after(after, BATCH);
    after = batch.at(-1)?.key as string | undefined;
    const isLast = after === undefined;
    await transact((tx) => {
      // Read anew, since it may have been changed or deleted since the batch was read.
      for (const { key } of batch) {
        const classification = tables.classifications.getUnlessDamaged(key);
        if (classification !== undefined) indexRecord(tables, classification);
      }
      const meta = readMeta(tables);
      const answers = isLast ? ANSWERS_COMPLETE : { ...ANSWERS_COMPLETE, after: after ?? '' };
      if (meta !== undefined) tx.setMeta({ ...meta, answers });
    });
    return { count: batch.length, isLast };
  };
  return await makeIndex(areAnswersComplete(readMeta(tables)), step, signal);
}

function placeOf(meta: StoreMeta | undefined): string | undefined {
  const { version, after } = meta?.answers ?? {};
  return version === ANSWER_CLASS_VERSION && after !== null && after !== '' ? after : undefined;
}

export interface AnswersCompared {
  records: number;
  /** Identifiers of records that lists would not find. */
  wrong: string[];
}

/** Compares up to so many records, from the one after `after` on, with their places in the index. */
export async function compareAnswers(
  tables: Tables,
  { after, recordsMax }: { after: string; recordsMax: number },
  signal: AbortSignal,
): Promise<AnswersCompared> {
  const compared: AnswersCompared = { records: 0, wrong: [] };
  let last = after;
  while (compared.records < recordsMax && !signal.aborted) {
    const batch = tables.classifications.after(last, Math.min(BATCH, recordsMax - compared.records));
    for (const { value: record } of batch) {
      const { identifier, accountId, deskId, createdAt, refId } = record;
      const place = [createdAt, identifier];
      const isAnswered = tables.classificationsByAnswer.has([
        accountId,
        currentClass(tables, record),
        ...place,
      ]);
      const isReferred =
        refId === '' || tables.classificationsByReference.has([accountId, referenceDigest(refId), ...place]);
      const isAtDesk = deskId === undefined || tables.classificationsByDesk.has([deskId, ...place]);
      if (!isAnswered || !isReferred || !isAtDesk) compared.wrong.push(identifier);
    }
    compared.records += batch.length;
    const key = batch.at(-1)?.key;
    if (key === undefined) break;
    last = String(key);
    await nextTurn();
  }
  return compared;
}

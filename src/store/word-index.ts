/** Indexes the words of transcripts beside running work: of transcripts from before the index, or of other rules. */
import { transcriptOf } from '../domain/verdicts/transcripts-of.ts';
import { type IndexMade, type IndexParts, type IndexStep, makeIndex } from './index-making.ts';
import { areWordsComplete, putWords, WORDS_COMPLETE, WORDS_VERSION } from './records/word-rows.ts';
import { readMeta, type StoreMeta, type Tables } from './tables/schema.ts';
import type { StoreTransaction } from './transaction.ts';

/** Analyses that are read at once; most have no transcript. */
const BATCH = 100;
/** Transcripts of one transaction, for which all other work waits: a long one takes some twenty milliseconds. */
const TRANSCRIPTS_MAX = 5;

/** Transcripts that are written meanwhile have their words already. */
export async function makeWords({ tables, transact }: IndexParts, signal: AbortSignal): Promise<IndexMade> {
  const isComplete = areWordsComplete(readMeta(tables));
  if (!isComplete && readMeta(tables)?.words?.version !== WORDS_VERSION) await transact(forgetWords(tables));
  const step = async (): Promise<IndexStep> => {
    const batch = tables.analyses.after(readMeta(tables)?.words?.after || undefined, BATCH);
    const said = batch.filter(({ value }) => transcriptOf(value.result) !== undefined);
    const taken = said.slice(0, TRANSCRIPTS_MAX);
    const last = (taken.length < said.length ? taken : batch).at(-1)?.key;
    await transact((tx) => {
      // Read anew, since the transcript may have been deleted since the batch was read.
      for (const { key } of taken) {
        const analysis = tables.analyses.getUnlessDamaged(key);
        if (analysis !== undefined) putWords(tables, analysis);
      }
      setWords(tables, tx, last === undefined ? WORDS_COMPLETE : { ...WORDS_COMPLETE, after: String(last) });
    });
    return { count: taken.length, isLast: last === undefined };
  };
  return await makeIndex(isComplete, step, signal);
}

/** Runs inside a transaction: all rows go, and the next start makes them. */
export function forgetWords(tables: Tables): (tx: StoreTransaction) => void {
  return (tx) => {
    tables.saidWords.clear();
    tables.saidPieces.clear();
    setWords(tables, tx, { ...WORDS_COMPLETE, after: '' });
  };
}

function setWords(tables: Tables, tx: StoreTransaction, words: NonNullable<StoreMeta['words']>): void {
  const meta = readMeta(tables);
  if (meta !== undefined) tx.setMeta({ ...meta, words });
}

/** Said words as rows: by word its analyses, and by three letters the words that have them, for finds from the middle. */
import { holderOf } from '../../domain/desk.ts';
import type { Analysis } from '../../domain/records/classification.ts';
import { piecesOf, wordsOf } from '../../domain/transcripts/said-words.ts';
import { type Transcript, textOf } from '../../domain/transcripts/transcript.ts';
import { transcriptOf } from '../../domain/verdicts/transcripts-of.ts';
import type { StoreMeta, Tables } from '../tables/schema.ts';

type WordTables = Pick<Tables, 'saidWords' | 'saidPieces'>;
type WordsOf = Pick<Analysis, 'id' | 'accountId' | 'deskId' | 'result'>;

/** Raised when words are split otherwise: all rows are then made anew. */
export const WORDS_VERSION = 1;

/** Marks in a store's description that each transcript's words are indexed. */
export const WORDS_COMPLETE: NonNullable<StoreMeta['words']> = { version: WORDS_VERSION, after: null };

export function areWordsComplete(meta: StoreMeta | undefined): boolean {
  return meta?.words?.version === WORDS_VERSION && meta.words.after === null;
}

/** Under this key lies every transcript whose words are not all indexed; no word is empty. */
export const NOT_WHOLE = '';

/** Replaces a transcript's words when it came or went. */
export function moveWords(tables: WordTables, before: Analysis | undefined, after: Analysis): void {
  const [was, is] = [transcriptOf(before?.result ?? null), transcriptOf(after.result)];
  if (was === is) return;
  if (before !== undefined) removeWords(tables, before);
  putWords(tables, after);
}

export function putWords({ saidWords, saidPieces }: WordTables, { id, result, ...held }: WordsOf): void {
  const holder = holderOf(held);
  for (const word of rowsOf(transcriptOf(result))) {
    if (!saidWords.hasUnder([holder, word])) {
      for (const piece of piecesOf(word)) saidPieces.put([holder, piece, word]);
    }
    saidWords.put([holder, word, id]);
  }
}

export function removeWords({ saidWords, saidPieces }: WordTables, { id, result, ...held }: WordsOf): void {
  const holder = holderOf(held);
  for (const word of rowsOf(transcriptOf(result))) {
    saidWords.remove([holder, word, id]);
    if (saidWords.hasUnder([holder, word])) continue;
    for (const piece of piecesOf(word)) saidPieces.remove([holder, piece, word]);
  }
}

function rowsOf(transcript: Transcript | undefined): string[] {
  const { words, isWhole } = wordsOf(textOf(transcript));
  return isWhole ? [...words] : [...words, NOT_WHOLE];
}

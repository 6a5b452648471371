/** Finds the transcripts of an account that may say a text, by the words that it needs. */
import { holds, piecesOf, type WantedWord, wantedWords } from '../../domain/transcripts/said-words.ts';
import { readMeta, type Tables } from '../tables/schema.ts';
import { areWordsComplete, NOT_WHOLE } from './word-rows.ts';

/** Rows that are read for one word: more frequent words are found soon by looking at each transcript. */
const ROWS_MAX = 2000;
/** Reading so few transcripts is faster than reading the rows of another word. */
const FEW = 20;

export class WordReader {
  readonly #tables: Tables;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  /** Whether the words of each transcript are indexed; if not, only a look at each record finds all. */
  get areComplete(): boolean {
    return areWordsComplete(readMeta(this.#tables));
  }

  get rowCount(): number {
    return this.#tables.saidWords.count + this.#tables.saidPieces.count;
  }

  /** Undefined if the words do not help: the text is too short, or each of its words is said too often. */
  analysesThatMaySay(holder: number, text: string): string[] | undefined {
    let left: Set<string> | undefined;
    for (const wanted of wantedWords(text)) {
      const found = this.#analysesWith(holder, wanted);
      if (found !== undefined) left = left?.intersection(found) ?? found;
      if (left !== undefined && left.size <= FEW) break;
    }
    return left && [...left];
  }

  #analysesWith(holder: number, wanted: WantedWord): Set<string> | undefined {
    const found = new Set<string>();
    let rows = 0;
    for (const word of this.#wordsThatHold(holder, wanted)) {
      if (word === null) return undefined;
      for (const key of this.#tables.saidWords.under([holder, word])) {
        rows += 1;
        if (rows > ROWS_MAX) return undefined;
        found.add(String(key.at(-1)));
      }
    }
    return found;
  }

  /** Ends with null if there are too many rows. */
  *#wordsThatHold(holder: number, wanted: WantedWord): Generator<string | null> {
    yield NOT_WHOLE;
    if (!wanted.mayBeginWithin && !wanted.mayEndWithin) yield wanted.word;
    else yield* this.#wordsWithPieces(holder, wanted);
  }

  /** Walks the lists of words by piece together: each goes on at the last word that another has. */
  *#wordsWithPieces(holder: number, wanted: WantedWord): Generator<string | null> {
    const pieces = piecesOf(wanted.word);
    let place: { from: string } | { after: string } = { from: '' };
    let word = '';
    let agreed = 0;
    for (let rows = 0; ; rows += 1) {
      if (rows > ROWS_MAX) return yield null;
      const piece = pieces[agreed % pieces.length] ?? '';
      const next = this.#tables.saidPieces.nextPart([holder, piece], place);
      if (next === undefined) return;
      agreed = String(next) === word ? agreed + 1 : 1;
      word = String(next);
      place = { from: word };
      if (agreed < pieces.length) continue;
      if (holds(word, wanted)) yield word;
      place = { after: word };
      agreed = 0;
    }
  }
}

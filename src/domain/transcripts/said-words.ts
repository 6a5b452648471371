/**
 * The words of a transcript as an index knows them, and which of them a text needs that is looked for. An index of words finds
 * transcripts that may hold the text; whether one does is said by `isSaid`. Pure.
 */

/** Two hours of quick talk have some 4,000 different words. A transcript with more is looked at by each search. */
export const WORDS_MAX = 10_000;
/** Code points; longer ones are noise, and a key of LMDB is bounded. */
const WORD_LENGTH_MAX = 64;
/** Words of a text that are looked up: the longest ones, since long words are rare. */
const WANTED_MAX = 8;
/** Pieces by which words are found from their middle. */
const PIECE_LENGTH = 3;

/** Scripts that put no space between words: every two letters that follow each other count as a word. */
const UNSPACED = String.raw`\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}`;
const RUNS = new RegExp(String.raw`(?<pairs>[${UNSPACED}]+)|(?:(?![${UNSPACED}])[\p{L}\p{N}\p{M}])+`, 'gu');

export interface SaidWords {
  words: Set<string>;
  /** False if some are left out: too long, or too many. */
  isWhole: boolean;
}

/** The words of a text as `isSaid` reads it, in lower case. */
export function wordsOf(text: string): SaidWords {
  const words = new Set<string>();
  for (const [run, , pairs] of runsOf(text)) {
    for (const word of pairs ? pairsOf(run) : [run]) {
      if (lengthOf(word) > WORD_LENGTH_MAX || words.size >= WORDS_MAX) return { words, isWhole: false };
      words.add(word);
    }
  }
  return { words, isWhole: true };
}

/** A word that must be there: itself, or one that holds it, as far as it may begin or end within a word. */
export interface WantedWord {
  word: string;
  mayBeginWithin: boolean;
  mayEndWithin: boolean;
}

/** Which words a transcript that says the text has in any case; none for a text that is too short for it. */
export function wantedWords(text: string): WantedWord[] {
  const lower = text.toLowerCase();
  const wanted: WantedWord[] = [];
  for (const [run, at, pairs] of runsOf(text)) {
    if (pairs) {
      const found = pairsOf(run).filter((pair) => lengthOf(pair) === 2);
      wanted.push(...found.map((word) => ({ word, mayBeginWithin: false, mayEndWithin: false })));
      continue;
    }
    const [mayBeginWithin, mayEndWithin] = [at === 0, at + run.length === lower.length];
    const isPart = mayBeginWithin || mayEndWithin;
    if (lengthOf(run) <= WORD_LENGTH_MAX && (!isPart || lengthOf(run) >= PIECE_LENGTH))
      wanted.push({ word: run, mayBeginWithin, mayEndWithin });
  }
  return wanted.sort((a, b) => b.word.length - a.word.length).slice(0, WANTED_MAX);
}

export function holds(word: string, { word: wanted, mayBeginWithin, mayEndWithin }: WantedWord): boolean {
  if (!mayBeginWithin) return word.startsWith(wanted);
  return mayEndWithin ? word.includes(wanted) : word.endsWith(wanted);
}

/** Every three letters of a word that follow each other, each once; none of a shorter word. */
export function piecesOf(word: string): string[] {
  return [...new Set(slices([...word], PIECE_LENGTH))];
}

/** What stands between two other characters, where it begins, and whether it is of a script without spaces. */
function* runsOf(text: string): Generator<[run: string, at: number, pairs: boolean]> {
  for (const match of text.toLowerCase().matchAll(RUNS)) {
    yield [match[0], match.index, match.groups?.pairs !== undefined];
  }
}

function pairsOf(run: string): string[] {
  const letters = [...run];
  return letters.length < 2 ? letters : slices(letters, 2);
}

function slices(letters: readonly string[], length: number): string[] {
  const count = Math.max(0, letters.length - length + 1);
  return Array.from({ length: count }, (_, at) => letters.slice(at, at + length).join(''));
}

function lengthOf(word: string): number {
  return [...word].length;
}

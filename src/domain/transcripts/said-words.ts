/** The words of a transcript for the index, and those that a text needs; the index proposes, `isSaid` decides. Pure. */

/** Two hours of quick talk have some 4,000 different words. Each search looks at a transcript with more. */
export const WORDS_MAX = 10_000;
/** Code points; longer ones are noise, and a key of LMDB is bounded. */
const WORD_LENGTH_MAX = 64;
/** Words of a text that are looked up: the longest ones, since long words are rare. */
const WANTED_MAX = 8;
/** Length of the pieces by which words are found from their middle. */
const PIECE_LENGTH = 3;

/** Scripts without spaces between words: every two neighbouring letters count as a word. */
const UNSPACED = String.raw`\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}`;
const RUNS = new RegExp(String.raw`(?<pairs>[${UNSPACED}]+)|(?:(?![${UNSPACED}])[\p{L}\p{N}\p{M}])+`, 'gu');

export interface SaidWords {
  words: Set<string>;
  /** False if some words are left out: too long, or too many. */
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

/** A word that must occur: itself, or within a longer one if it may begin or end within a word. */
export interface WantedWord {
  word: string;
  mayBeginWithin: boolean;
  mayEndWithin: boolean;
}

/** The words that every transcript with the text has; none for a text that is too short. */
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

/** Every three neighbouring letters of a word, each once; none of a shorter word. */
export const piecesOf = (word: string): string[] => [...new Set(slices([...word], PIECE_LENGTH))];

/** Runs between separators, with their positions, and whether their script has no spaces. */
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

const lengthOf = (word: string): number => [...word].length;

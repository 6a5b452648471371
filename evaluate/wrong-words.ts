/** Words of a text as they are compared, and how many of them are wrong: the usual word error rate. Pure. */

/** Signs above and below letters belong to the word: without them a word of Hindi falls to pieces. */
const WORD = /[\p{L}\p{N}\p{M}]+(?:['’][\p{L}\p{N}\p{M}]+)*/gu;
const LETTER = /[\p{L}\p{N}]\p{M}*/gu;
/** Languages without spaces: their letters are compared, as is usual in the field. */
const BY_LETTER = new Set(['zh', 'yue', 'ja', 'th', 'lo', 'my', 'km']);

/** The words without case and punctuation; `language` is ISO 639-1. */
export function toWords(text: string, language: string): string[] {
  const pattern = BY_LETTER.has(language) ? LETTER : WORD;
  return text.normalize('NFC').toLowerCase().match(pattern) ?? [];
}

/** Fewest words to replace, put in and take out. */
export function countWrongWords(expected: readonly string[], found: readonly string[]): number {
  let row = Array.from({ length: found.length + 1 }, (_, index) => index);
  for (const [at, word] of expected.entries()) {
    const next = [at + 1];
    for (const [index, other] of found.entries()) {
      const replaced = (row[index] ?? 0) + (word === other ? 0 : 1);
      next.push(Math.min(replaced, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1));
    }
    row = next;
  }
  return row[found.length] ?? 0;
}

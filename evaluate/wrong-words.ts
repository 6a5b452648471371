/** Words of a text as they are compared, and how many of them are wrong: the usual word error rate. Pure. */

const WORD = /[\p{L}\p{N}]+(?:['’][\p{L}\p{N}]+)*/gu;

/** Without case and punctuation. */
export function toWords(text: string): string[] {
  return text.normalize('NFC').toLowerCase().match(WORD) ?? [];
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

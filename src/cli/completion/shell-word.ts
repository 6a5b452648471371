/** A text as one word of a shell, whatever it holds. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Of a sentence, what has room beside a word: its first line, without what parts fields. */
export function shortText(description: string): string {
  return description.split('\n', 1)[0]?.replaceAll(':', ' -') ?? '';
}

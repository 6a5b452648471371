/** Any text as one word of a shell. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A short description beside a word: its first line, without the colon that separates fields. */
export function shortText(description: string): string {
  return description.split('\n', 1)[0]?.replaceAll(':', ' -') ?? '';
}

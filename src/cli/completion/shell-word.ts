/** A text as one word of a shell, whatever it holds. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** What fits beside a word: the first line of the description, without the colon that separates fields. */
export function shortText(description: string): string {
  return description.split('\n', 1)[0]?.replaceAll(':', ' -') ?? '';
}

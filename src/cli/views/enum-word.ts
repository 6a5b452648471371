/** The word of the domain for a value of a generated enum: `not_applicable`; empty if it is absent or unspecified. */
export function wordOf(values: Readonly<Record<string, number>>, value: number | undefined): string {
  const name = Object.keys(values).find((key) => values[key] === value) ?? '';
  return name === 'UNSPECIFIED' ? '' : name.toLowerCase();
}

/** The word of an enum's value as a reader sees it: `not applicable`. */
export function nameOf(values: Readonly<Record<string, number>>, value: number | undefined): string {
  return wordOf(values, value).replaceAll('_', ' ');
}

/** Finds a figure that is no finite number, wherever it lies in a value. Pure. */

/** Its path and the figure, `verdict.confidence is NaN`; undefined if every figure is finite. */
export function figureThatIsNotFinite(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : `is ${value}`;
  if (typeof value !== 'object' || value === null) return undefined;
  // Walked without making entries: a video's record has tens of thousands of figures.
  for (const name in value) {
    const found = figureThatIsNotFinite((value as Record<string, unknown>)[name]);
    if (found !== undefined) return found.startsWith('is ') ? `${name} ${found}` : `${name}.${found}`;
  }
  return undefined;
}

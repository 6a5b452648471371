/** How many of something a measurement takes: those that a variable of the environment names, as `1000,100000`, or its own. */
export function countsOf(variable: string, usual: readonly number[]): readonly number[] {
  const text = process.env[variable];
  if (text === undefined) return usual;
  const counts = text.split(',').map(Number);
  if (counts.every((count) => Number.isInteger(count) && count > 0)) return counts;
  throw new Error(`${variable}: expected whole numbers with commas between, found ${text}`);
}

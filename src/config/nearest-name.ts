/** The known name that a mistyped one most likely means. */

/** Levenshtein distance: single-character insertions, removals and replacements. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

/** The nearest of `names` within `distanceMax` edits, or undefined if none is near enough to be meant. */
export function findNearestName(
  name: string,
  names: readonly string[],
  distanceMax: number,
): string | undefined {
  let nearest: string | undefined;
  let least = distanceMax + 1;
  for (const candidate of names) {
    const distance = editDistance(name, candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

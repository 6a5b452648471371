/** The colours of a score, those of the heatmap: blue for human, grey for undecided, red for artificial. */

const STOPS: readonly (readonly [number, number, number])[] = [
  [59, 76, 192],
  [141, 176, 254],
  [221, 221, 221],
  [244, 154, 123],
  [180, 4, 38],
];

export function colourOf(score: number | null): string {
  if (score === null) return 'rgb(128 128 128)';
  const exact = Math.max(0, Math.min(1, score)) * (STOPS.length - 1);
  const below = Math.min(STOPS.length - 2, Math.floor(exact));
  const mixed = [0, 1, 2].map((channel) => {
    const low = STOPS[below]?.[channel] ?? 0;
    const high = STOPS[below + 1]?.[channel] ?? 0;
    return Math.round(low + (high - low) * (exact - below));
  });
  return `rgb(${mixed.join(' ')})`;
}

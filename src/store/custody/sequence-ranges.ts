/** Sequences of entries as a text: `3,7-12`. A record that was looked at for a year has thousands, mostly in a row. */

/** In ascending order, whatever the order given. */
export function formatRanges(sequences: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const sequence of sequences.toSorted((left, right) => left - right)) {
    const last = ranges.at(-1);
    if (last !== undefined && sequence <= last[1] + 1) last[1] = sequence;
    else ranges.push([sequence, sequence]);
  }
  return ranges.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(',');
}

export function isInRanges(ranges: string, sequence: number): boolean {
  return ranges.split(',').some((range) => {
    const [from = Number.NaN, to = from] = range.split('-').map(Number);
    return sequence >= from && sequence <= to;
  });
}

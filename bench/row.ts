/** A row of the table: the figures of some runs, beside the bare loop or server they are compared with. */

export interface Row {
  name: string;
  unit: string;
  /** Which end of the runs is the bad one. */
  better: 'higher' | 'lower';
  runs: number[];
  /** The same work without Assay, in the same unit, measured in turns with it. */
  bareRuns?: number[];
}

export interface RowSummary extends Row {
  median: number;
  worst: number;
  bareMedian: number | null;
  ratio: number | null;
}

export const RUNS = 5;

export function summarise(row: Row): RowSummary {
  const median = medianOf(row.runs);
  const worst = row.better === 'higher' ? Math.min(...row.runs) : Math.max(...row.runs);
  const bareMedian = row.bareRuns === undefined ? null : medianOf(row.bareRuns);
  return { ...row, median, worst, bareMedian, ratio: bareMedian === null ? null : median / bareMedian };
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

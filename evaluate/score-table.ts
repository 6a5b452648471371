/** The table of left-out scores beside a card: what its figures were made of, one row per file. */
import { readFileSync } from 'node:fs';
import type { LabelName } from './labelled-folder.ts';

export interface ScoreRow {
  label: LabelName;
  source: string;
  /** Fused log-odds of artificial, by tier. */
  logOdds: Record<string, number>;
}

/** Throws, naming the line, if a row is not `label`, `source` and a number per tier. */
export function readScoreTable(path: string): ScoreRow[] {
  const [head = '', ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n');
  const [first, second, ...tiers] = head.split('\t');
  if (first !== 'label' || second !== 'source' || tiers.length === 0) {
    throw new Error(`${path}: expected a head of label, source and tiers, found ${JSON.stringify(head)}`);
  }
  return lines.map((line, index) => {
    const [label, source, ...cells] = line.split('\t');
    const values = cells.map(Number);
    const isWhole = values.length === tiers.length && values.every(Number.isFinite);
    if ((label !== 'human' && label !== 'artificial') || source === undefined || !isWhole) {
      throw new Error(`${path}: line ${index + 2} is not a label, a source and ${tiers.length} numbers`);
    }
    return { label, source, logOdds: Object.fromEntries(tiers.map((tier, at) => [tier, values[at] ?? 0])) };
  });
}

/** The report as tables for a person. */
import Table from 'cli-table3';
import { FIGURE_NAMES, type Figures } from './figures.ts';
import type { Report, SourceReport, TierReport } from './report.ts';

const SHOWN: Readonly<Record<keyof Figures, string>> = {
  auc: 'AUC',
  balancedAccuracy: 'balanced accuracy',
  falseAlarmRateBalanced: 'false alarms (balanced)',
  recallBalanced: 'recall (balanced)',
  tprAtFpr1: 'TPR at 1 % FPR',
  tprAtFpr5: 'TPR at 5 % FPR',
  ece: 'ECE',
  brier: 'Brier',
  cllr: 'Cllr, bits',
  coverage: 'coverage',
  inconclusiveRate: 'inconclusive',
  balancedAccuracyDecided: 'balanced accuracy where decided',
  falseAlarmRateCautious: 'false alarms (cautious)',
  recallCautious: 'recall (cautious)',
  falseAlarmRateSensitive: 'false alarms (sensitive)',
  recallSensitive: 'recall (sensitive)',
  falseAlarmRateMajority: 'false alarms (majority)',
  recallMajority: 'recall (majority)',
  flipRate: 'verdicts flipped, of those decided clean and here',
};
const WORST_COUNT = 3;

export function toText({ tiers, failed }: Report): string {
  const parts = [figuresTable(tiers), modelsTable(tiers), worstTable(tiers)];
  if (failed.length > 0) {
    const [first] = failed;
    parts.push(`${failed.length} files failed, the first: ${first?.path} (${first?.tier}): ${first?.error}`);
  }
  return `${parts.join('\n\n')}\n`;
}

function figuresTable(tiers: readonly TierReport[]): string {
  const table = openTable(['', ...tiers.map(({ tier }) => tier)]);
  table.push(['files (sources)', ...tiers.map(({ files, sources }) => `${files} (${sources})`)]);
  table.push(['no answer', ...tiers.map(({ unanswered }) => String(unanswered))]);
  table.push(['scaled less than the tier says', ...tiers.map(({ held }) => String(held))]);
  for (const name of FIGURE_NAMES) {
    table.push([SHOWN[name], ...tiers.map(({ figures }) => withInterval(figures[name]))]);
  }
  return table.toString();
}

function modelsTable(tiers: readonly TierReport[]): string {
  const names = [...new Set(tiers.flatMap(({ models }) => models.map(({ model }) => model)))];
  const table = openTable(['AUC of one model', ...tiers.map(({ tier }) => tier)]);
  for (const name of names) {
    const cells = tiers.map(({ models }) => {
      const found = models.find(({ model }) => model === name);
      return found === undefined ? '' : withInterval({ ...found, value: found.auc });
    });
    table.push([name, ...cells]);
  }
  return table.toString();
}

function worstTable(tiers: readonly TierReport[]): string {
  const head = ['tier', 'worst sources', 'files', 'AUC', 'called artificial', 'by cautious', 'inconclusive'];
  const table = openTable(head);
  for (const { tier, sourcesWorstFirst } of tiers) {
    for (const label of ['artificial', 'human']) {
      const worst = sourcesWorstFirst.filter((source) => source.label === label).slice(0, WORST_COUNT);
      for (const source of worst) table.push([tier, ...sourceCells(source)]);
    }
  }
  return table.toString();
}

function sourceCells(report: SourceReport): string[] {
  const { label, source, files, auc, calledArtificial, calledArtificialCautious, inconclusive } = report;
  const shares = [auc, calledArtificial, calledArtificialCautious, inconclusive];
  return [`${label}/${source}`, String(files), ...shares.map(toFigure)];
}

function withInterval({ value, low, high }: { value: number; low: number; high: number }): string {
  return Number.isNaN(value) ? '–' : `${toFigure(value)} (${toFigure(low)} to ${toFigure(high)})`;
}

function toFigure(value: number): string {
  return Number.isNaN(value) ? '–' : value.toFixed(3);
}

function openTable(head: string[]): Table.Table {
  return new Table({ head, style: { head: [], border: [] } });
}

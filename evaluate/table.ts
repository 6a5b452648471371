/** The report as tables for a person. */
import Table from 'cli-table3';
import { FIGURE_NAMES, type Figures } from './figures.ts';
import type { Report, RoundReport, SourceReport, TierReport } from './report.ts';

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

export function toText({ task, tiers, failed, rounds, leftOut }: Report): string {
  const maps = tiers.some(({ localisation }) => localisation.length > 0) ? [mapsTable(tiers)] : [];
  const parts = [figuresTable(tiers), modelsTable(tiers), ...maps, worstTable(task, tiers)];
  if (rounds.some(({ fold }) => fold !== null)) parts.push(describeFolds(rounds));
  if (leftOut.length > 0) {
    const names = leftOut.map(({ label, source, files }) => `${label}/${source} (${files})`);
    parts.push(`left out, since no fold leaves them out of training: ${names.join(', ')}`);
  }
  if (failed.length > 0) {
    const [first] = failed;
    parts.push(`${failed.length} files failed, the first: ${first?.path} (${first?.tier}): ${first?.error}`);
  }
  return `${parts.join('\n\n')}\n`;
}

function describeFolds(rounds: readonly RoundReport[]): string {
  const lines = rounds.map(({ fold, packs, files, sources }) => {
    const names = packs.map(({ id, version }) => `${id}@${version}`);
    return `  fold ${fold}: ${files} files of ${sources} sources by ${names.join(', ')}`;
  });
  return ['each file by packs that were trained without its source:', ...lines].join('\n');
}

function figuresTable(tiers: readonly TierReport[]): string {
  const table = openTable(['', ...tiers.map(({ tier }) => tier)]);
  table.push(['files (sources)', ...tiers.map(({ files, sources }) => `${files} (${sources})`)]);
  const shown = (count: number, human: number) => (count === 0 ? '0' : `${count} (${human} human)`);
  table.push(['no answer', ...tiers.map((tier) => shown(tier.unanswered, tier.unansweredHuman))]);
  if (tiers.some(({ faceless }) => faceless > 0)) {
    table.push(['no face found', ...tiers.map(({ faceless }) => String(faceless))]);
  }
  table.push(['scaled less than the tier says', ...tiers.map(({ held }) => String(held))]);
  const measured = FIGURE_NAMES.filter((name) =>
    tiers.some(({ figures }) => !Number.isNaN(figures[name].value)),
  );
  for (const name of measured) {
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

function mapsTable(tiers: readonly TierReport[]): string {
  const head = ['tier', 'called from', 'with mask', 'pixel F1', 'precision', 'recall', 'of authentic pixels'];
  const table = openTable(head);
  for (const { tier, localisation } of tiers) {
    for (const { threshold, masked, f1, precision, recall, falselyCalled } of localisation) {
      const figures = [f1, precision, recall, falselyCalled].map(withInterval);
      table.push([tier, threshold.toFixed(1), String(masked), ...figures]);
    }
  }
  return table.toString();
}

/** As its folder is called: an edited picture may well be a person's work. */
function nameOf(task: string, { label, source }: SourceReport): string {
  return `${task === 'tampering' && label === 'artificial' ? 'edited' : label}/${source}`;
}

function worstTable(task: string, tiers: readonly TierReport[]): string {
  const head = ['tier', 'worst sources', 'files', 'AUC', 'called', 'by cautious', 'inconclusive'];
  const table = openTable(head);
  for (const { tier, sourcesWorstFirst } of tiers) {
    for (const label of ['artificial', 'human']) {
      const worst = sourcesWorstFirst.filter((source) => source.label === label).slice(0, WORST_COUNT);
      for (const source of worst) table.push([tier, nameOf(task, source), ...sourceCells(source)]);
    }
  }
  return table.toString();
}

function sourceCells(report: SourceReport): string[] {
  const { files, auc, calledArtificial, calledArtificialCautious, inconclusive } = report;
  const shares = [auc, calledArtificial, calledArtificialCautious, inconclusive];
  return [String(files), ...shares.map(toFigure)];
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

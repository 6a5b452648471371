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
  rightDecided: 'right where decided',
  falseAlarmRateCautious: 'false alarms (cautious)',
  recallCautious: 'recall (cautious)',
  falseAlarmRateSensitive: 'false alarms (sensitive)',
  recallSensitive: 'recall (sensitive)',
  falseAlarmRateMajority: 'false alarms (majority)',
  recallMajority: 'recall (majority)',
  flipRate: 'verdicts flipped, of those decided clean and here',
};
const WORST_COUNT = 3;
const WITH_SILENCE = [
  ...(['auc', 'tprAtFpr5', 'ece', 'falseAlarmRateBalanced', 'recallBalanced'] as const),
  ...(['falseAlarmRateCautious', 'recallCautious', 'coverage'] as const),
];
const PART_FIGURES = ['auc', 'tprAtFpr5', 'falseAlarmRateBalanced', 'recallBalanced'] as const;
const NO_TRACKS = 'no clip has sound that was judged: nothing is measured of tracks';

export function toText({ task, kind, tiers, failed, rounds, leftOut }: Report): string {
  const maps = tiers.some(({ localisation }) => localisation.length > 0) ? [mapsTable(tiers)] : [];
  const parts = [
    ...[figuresTable(tiers), silenceTable(tiers), ...modelsTable(tiers), sizesTable(tiers), ...maps],
    ...[groupsTable(tiers), worstTable(task, tiers), ...(kind === 'video' ? describeVideo(tiers) : [])],
  ];
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

/** The table counts what was not answered, since a model may look good by answering for easy files only. */
function silenceTable(tiers: readonly TierReport[]): string {
  const table = openTable(['all files, no answer at even odds', ...tiers.map(({ tier }) => tier)]);
  table.push(['share with an answer', ...tiers.map(({ answered }) => withInterval(answered))]);
  for (const name of WITH_SILENCE) {
    table.push([
      SHOWN[name],
      ...tiers.map(({ figuresWithSilence }) => withInterval(figuresWithSilence[name])),
    ]);
  }
  return table.toString();
}

function sizesTable(tiers: readonly TierReport[]): string {
  const table = openTable(['tier', 'short side, pixels', 'human', 'artificial', 'ECE', 'by chance']);
  for (const { tier, sizes, figures, eceByChance } of tiers) {
    for (const { shortSideMin, shortSideMax, human, artificial, ece, eceByChance: chance } of sizes) {
      const side =
        shortSideMax === null ? `${shortSideMin} and more` : `${shortSideMin} to ${shortSideMax - 1}`;
      table.push([tier, side, human, artificial, withInterval(ece), toFigure(chance)]);
    }
    table.push([tier, 'all', '', '', withInterval(figures.ece), toFigure(eceByChance)]);
  }
  return table.toString();
}

function groupsTable(tiers: readonly TierReport[]): string {
  const table = openTable(['tier', 'called artificial', 'files (sources)', 'balanced', 'cautious']);
  for (const { tier, groups } of tiers) {
    for (const { label, group, joined, files, sources, called, calledCautious, isLargeEnough } of groups) {
      const name = `${label}: ${group}${joined.length === 0 ? '' : ` (${joined.length} kinds)`}`;
      const shares = isLargeEnough ? [called, calledCautious].map(withInterval) : ['too few', ''];
      table.push([tier, name, `${files} (${sources})`, ...shares]);
    }
  }
  return table.toString();
}

function describeVideo(tiers: readonly TierReport[]): string[] {
  const table = openTable(['tier', 'part', 'clips (sources)', ...PART_FIGURES.map((name) => SHOWN[name])]);
  for (const { tier, subsets } of tiers) {
    for (const { subset, files, sources, figures } of subsets) {
      table.push([
        tier,
        subset,
        `${files} (${sources})`,
        ...PART_FIGURES.map((name) => withInterval(figures[name])),
      ]);
    }
  }
  const pairs = tiers.flatMap(({ tier, pairs: found }) =>
    found === null
      ? []
      : `${tier}: an edit scores above its own original ${withInterval(found.auc)} of the time, by ${withInterval(found.logOddsDifference)} in log-odds; ${found.pairs} pairs`,
  );
  const withTrack = tiers.reduce((sum, tier) => sum + tier.withTrack, 0);
  const tracks = withTrack > 0 ? `the sound of ${withTrack} clips was judged too` : NO_TRACKS;
  return [...(table.length > 0 ? [table.toString()] : []), ...pairs, tracks];
}

function modelsTable(tiers: readonly TierReport[]): string[] {
  const names = [...new Set(tiers.flatMap(({ models }) => models.map(({ model }) => model)))];
  // A video's models answer for its frames.
  if (names.length === 0) return [];
  const table = openTable(['AUC of one model', ...tiers.map(({ tier }) => tier)]);
  for (const name of names) {
    const cells = tiers.map(({ models }) => {
      const found = models.find(({ model }) => model === name);
      return found === undefined ? '' : withInterval({ ...found, value: found.auc });
    });
    table.push([name, ...cells]);
  }
  return [table.toString()];
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

/** Label as its folder is called: an edited picture may be a person's work. */
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

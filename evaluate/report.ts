/**
 * All figures of an evaluation, by tier, size, kind, model and source, as a JSON value: `figures.json`, from which cards
 * and documents are written. Numbers that nothing could be measured for are NaN here and null in the file.
 */
import { REPLICATES } from './bootstrap.ts';
import { type Estimate, type Estimates, estimateFigures, estimateShare } from './estimate.ts';
import {
  isCalled,
  type ReliabilityBin,
  type RocPoint,
  type Scored,
  toFigures,
  toReliability,
  toRoc,
  toScored,
} from './figures.ts';
import type { LeftOutSource } from './folds.ts';
import { type Grouping, type GroupReport, toGroups } from './groups.ts';
import { type LocalisationReport, toLocalisation } from './localisation.ts';
import type { FailedFile, Measurement } from './measurement.ts';
import type { PackIdentity } from './pack-identity.ts';
import { type SizeClassReport, toEceByChance, toSizeClasses } from './size-classes.ts';
import { type PairsReport, type SubsetReport, toPairs, toSubsets } from './subsets.ts';
import { CLEAN } from './tiers.ts';

export interface TierReport {
  tier: string;
  /** Files with an answer. */
  files: number;
  sources: number;
  /** Files that no model could answer for. */
  unanswered: number;
  /** Human ones among them. */
  unansweredHuman: number;
  /** Files in which no face was found; they are among the unanswered. */
  faceless: number;
  /** Files that were scaled less than the tier says. */
  held: number;
  /** Videos of which the sound was judged too. */
  withTrack: number;
  /** Of the files with an answer. */
  figures: Estimates;
  /** Figures over all files: one without an answer has a probability of one half, and is neither called artificial nor decided. */
  figuresWithSilence: Estimates;
  /** Share of the files with an answer. */
  answered: Estimate;
  /** What a perfectly calibrated score would show as ECE on as many files. */
  eceByChance: number;
  /** Calibration by the short side that was sent. */
  sizes: SizeClassReport[];
  /** False alarms by kind of human media and what is found of each family of generators; no answer is human. */
  groups: GroupReport[];
  /** Figures of a part of the files that a confound cannot decide; of video. */
  subsets: SubsetReport[];
  /** Edits against their own originals; null if there are none. */
  pairs: PairsReport | null;
  /** AUC of each model alone. */
  models: ({ model: string; files: number; auc: number } & Omit<Estimate, 'value'>)[];
  /** Maps of edits against masks, by threshold; empty for other tasks. */
  localisation: LocalisationReport[];
  sourcesWorstFirst: SourceReport[];
  roc: RocPoint[];
  reliability: ReliabilityBin[];
}

export interface SourceReport {
  label: string;
  source: string;
  files: number;
  /** Against all files of the other label: how well this source is told from them. */
  auc: number;
  meanProbability: number;
  calledArtificial: number;
  calledArtificialCautious: number;
  inconclusive: number;
}

/** What answered for which files. */
export interface RoundReport {
  /** The packs were trained without the sources of this fold; null for the running daemon's own. */
  fold: string | null;
  packs: PackIdentity[];
  files: number;
  sources: number;
}

/** Raised when a field changes its meaning or goes; more fields may come. */
export const FIGURES_FORMAT = 1;

export interface DataReport {
  /** As it was named. */
  folder: string;
  files: number;
  sources: number;
  /** SHA-256 over a line `label TAB source TAB path TAB sha256` of each file that was asked for, sorted by path. */
  sha256: string;
}

export interface ReportAbout {
  format: typeof FIGURES_FORMAT;
  /** The command as it was typed. */
  command: string;
  /** When the first file was measured, ISO 8601. */
  begunAt: string;
  task: string;
  kind: string;
  data: DataReport;
  /** Versions of the rules that gave the figures; more than one if a newer daemon went on with the journal. */
  rulesVersions: number[];
  rounds: RoundReport[];
  /** Sources that no fold leaves out: in no figure, since every pack may have seen them. */
  leftOut: LeftOutSource[];
}

/** The shape of `figures.json`, but for NaN. */
export interface Report extends ReportAbout {
  bootstrapReplicates: number;
  failed: FailedFile[];
  tiers: TierReport[];
}

export function toTierReports(
  measurements: readonly Measurement[],
  tiers: readonly string[],
  grouping: Grouping,
): TierReport[] {
  const clean = new Map(
    measurements.flatMap((measurement) =>
      measurement.tier === CLEAN ? [[measurement.path, measurement]] : [],
    ),
  );
  return tiers.flatMap((tier) => {
    const own = measurements.filter((measurement) => measurement.tier === tier);
    const score = (countsSilence: boolean) =>
      toScored(own, ({ probability }) => probability, {
        flipOf: (it) => flipOf(it, clean.get(it.path)),
        countsSilence,
      });
    return own.length === 0
      ? []
      : [toTierReport(tier, own, { answered: score(false), all: score(true) }, grouping)];
  });
}

/** Null in the clean tier itself and if the file was not decided twice. */
function flipOf(measurement: Measurement, clean: Measurement | undefined): boolean | null {
  if (measurement.tier === CLEAN || clean === undefined) return null;
  const [here, there] = [sideOf(measurement), sideOf(clean)];
  return here === null || there === null ? null : here !== there;
}

/** Whether the file was called artificial, at even odds if the task has no inconclusive; null without an answer. */
function sideOf({ state, probability }: Measurement): boolean | null {
  if (state === null) return probability === null ? null : probability >= 0.5;
  return state === 'human' || state === 'artificial' ? state === 'artificial' : null;
}

interface TierRows {
  answered: readonly Scored[];
  all: readonly Scored[];
}

function toTierReport(
  tier: string,
  own: readonly Measurement[],
  { answered: rows, all }: TierRows,
  grouping: Grouping,
): TierReport {
  return {
    tier,
    files: rows.length,
    sources: new Set(rows.map(({ source }) => source)).size,
    unanswered: own.length - rows.length,
    unansweredHuman: own.filter(({ label, probability }) => label === 'human' && probability === null).length,
    faceless: own.filter(({ faces }) => faces === 0).length,
    held: own.filter(({ held }) => held).length,
    withTrack: own.filter(({ hasTrack }) => hasTrack).length,
    figures: estimateFigures(rows),
    figuresWithSilence: estimateFigures(all),
    answered: estimateShare(all, ({ isAnswered }) => isAnswered),
    eceByChance: toEceByChance(rows),
    sizes: toSizeClasses(own),
    groups: toGroups(own, grouping),
    subsets: toSubsets(own),
    pairs: toPairs(own),
    models: toModels(own),
    localisation: toLocalisation(own),
    sourcesWorstFirst: toSources(own),
    roc: toRoc(rows),
    reliability: toReliability(rows),
  };
}

function toModels(own: readonly Measurement[]): TierReport['models'] {
  const names = [...new Set(own.flatMap(({ models }) => Object.keys(models)))].sort();
  return names.map((model) => {
    const rows = toScored(own, ({ models }) => models[model] ?? null);
    const { value: auc, low, high } = estimateFigures(rows).auc;
    return { model, files: rows.length, auc, low, high };
  });
}

function toSources(own: readonly Measurement[]): SourceReport[] {
  const answered = own.filter(({ probability }) => probability !== null);
  const groups = Map.groupBy(answered, ({ label, source }) => `${label}/${source}`);
  const sources = [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const share = (test: (measurement: Measurement) => boolean) => group.filter(test).length / group.length;
    const own = toScored(group, ({ probability }) => probability);
    const others = answered.filter(({ label }) => label !== first.label);
    return {
      label: first.label,
      source: first.source,
      files: group.length,
      auc: toFigures(toScored([...group, ...others], ({ probability }) => probability)).auc,
      meanProbability: group.reduce((sum, { probability }) => sum + (probability ?? 0), 0) / group.length,
      calledArtificial: own.filter(isCalled).length / own.length,
      calledArtificialCautious:
        first.called === null ? Number.NaN : share(({ called }) => called?.includes('cautious') === true),
      inconclusive: first.state === null ? Number.NaN : share(({ state }) => state === 'inconclusive'),
    };
  });
  return sources.toSorted((a, b) => a.auc - b.auc);
}

export function toReport(about: ReportAbout, failed: readonly FailedFile[], tiers: TierReport[]): Report {
  return { ...about, bootstrapReplicates: REPLICATES, failed: [...failed], tiers };
}

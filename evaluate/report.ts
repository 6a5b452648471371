/** All figures of an evaluation, by tier, by model and by source, as a JSON value. */
import { bootstrap, type Interval, REPLICATES } from './bootstrap.ts';
import {
  FIGURE_NAMES,
  type Figures,
  type ReliabilityBin,
  type RocPoint,
  type Scored,
  toFigures,
  toReliability,
  toRoc,
  toScored,
} from './figures.ts';
import type { LeftOutSource } from './folds.ts';
import { type LocalisationReport, toLocalisation } from './localisation.ts';
import type { FailedFile, Measurement } from './measurement.ts';
import type { PackIdentity } from './pack-identity.ts';
import { CLEAN } from './tiers.ts';

export interface TierReport {
  tier: string;
  files: number;
  sources: number;
  /** Files that no model could answer for: in no figure. */
  unanswered: number;
  /** Human ones among them. */
  unansweredHuman: number;
  /** Files in which a face was looked for and none was found; among the unanswered. */
  faceless: number;
  /** Files that were scaled less than the tier says. */
  held: number;
  figures: Record<keyof Figures, { value: number; low: number; high: number }>;
  /** AUC of each model alone. */
  models: { model: string; files: number; auc: number; low: number; high: number }[];
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

export interface ReportAbout {
  task: string;
  kind: string;
  rounds: RoundReport[];
  /** Sources that no fold leaves out: in no figure, since every pack may have seen them. */
  leftOut: LeftOutSource[];
}

export interface Report extends ReportAbout {
  bootstrapReplicates: number;
  failed: FailedFile[];
  tiers: TierReport[];
}

export function toTierReports(measurements: readonly Measurement[], tiers: readonly string[]): TierReport[] {
  const clean = new Map(
    measurements.flatMap((measurement) =>
      measurement.tier === CLEAN ? [[measurement.path, measurement]] : [],
    ),
  );
  return tiers.flatMap((tier) => {
    const own = measurements.filter((measurement) => measurement.tier === tier);
    const rows = toScored(
      own,
      ({ probability }) => probability,
      (it) => flipOf(it, clean.get(it.path)),
    );
    return own.length === 0 ? [] : [toTierReport(tier, own, rows)];
  });
}

/** Null in the clean tier itself and where the file was not decided twice. */
function flipOf(measurement: Measurement, clean: Measurement | undefined): boolean | null {
  if (measurement.tier === CLEAN || clean === undefined) return null;
  const [here, there] = [sideOf(measurement), sideOf(clean)];
  return here === null || there === null ? null : here !== there;
}

/** Whether it was called artificial; by even odds where the task knows no inconclusive. Null where nothing was said. */
function sideOf({ state, probability }: Measurement): boolean | null {
  if (state === null) return probability === null ? null : probability >= 0.5;
  return state === 'human' || state === 'artificial' ? state === 'artificial' : null;
}

function toTierReport(tier: string, own: readonly Measurement[], rows: readonly Scored[]): TierReport {
  return {
    tier,
    files: rows.length,
    sources: new Set(rows.map(({ source }) => source)).size,
    unanswered: own.length - rows.length,
    unansweredHuman: own.filter(({ label, probability }) => label === 'human' && probability === null).length,
    faceless: own.filter(({ faces }) => faces === 0).length,
    held: own.filter(({ held }) => held).length,
    figures: withIntervals(toFigures(rows), bootstrap(rows)),
    models: toModels(own),
    localisation: toLocalisation(own),
    sourcesWorstFirst: toSources(own),
    roc: toRoc(rows),
    reliability: toReliability(rows),
  };
}

function withIntervals(figures: Figures, intervals: Record<keyof Figures, Interval>): TierReport['figures'] {
  const entries = FIGURE_NAMES.map((name) => {
    const [low, high] = intervals[name];
    return [name, { value: figures[name], low, high }] as const;
  });
  return Object.fromEntries(entries) as TierReport['figures'];
}

function toModels(own: readonly Measurement[]): TierReport['models'] {
  const names = [...new Set(own.flatMap(({ models }) => Object.keys(models)))].sort();
  return names.map((model) => {
    const rows = toScored(own, ({ models }) => models[model] ?? null);
    const [low, high] = bootstrap(rows).auc;
    return { model, files: rows.length, auc: toFigures(rows).auc, low, high };
  });
}

function toSources(own: readonly Measurement[]): SourceReport[] {
  const answered = own.filter(({ probability }) => probability !== null);
  const groups = Map.groupBy(answered, ({ label, source }) => `${label}/${source}`);
  const sources = [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const share = (test: (measurement: Measurement) => boolean) => group.filter(test).length / group.length;
    const others = answered.filter(({ label }) => label !== first.label);
    return {
      label: first.label,
      source: first.source,
      files: group.length,
      auc: toFigures(toScored([...group, ...others], ({ probability }) => probability)).auc,
      meanProbability: group.reduce((sum, { probability }) => sum + (probability ?? 0), 0) / group.length,
      calledArtificial: share(({ probability }) => (probability ?? 0) >= 0.5),
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

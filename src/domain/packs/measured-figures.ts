/** A pack's measured error rates as one list of rows, those of outside media first; the page, the report and the command line read them. */
import { MEDIA_KINDS, type MediaKind } from '../media/media.ts';

/** Media that nothing was fitted, chosen or calibrated by, and how they were measured. */
export interface OutsideSet {
  kind: MediaKind;
  set: string;
  /** The measured version, which may be an earlier one. */
  version: string;
  date: string;
  command: string;
  files?: number | undefined;
  sources?: number | undefined;
  owners?: number | undefined;
}

/** Rates that were not measured are absent. */
export interface FigureRow {
  tier: string;
  /** The measured version, if it was an earlier one. */
  version?: string | undefined;
  /** Absent in rows of owners that were left out in training. */
  outside?: OutsideSet;
  sources?: number | undefined;
  images?: number;
  clips?: number;
  faces?: number;
  files?: number;
  auc?: number | undefined;
  aucLow?: number | undefined;
  aucHigh?: number | undefined;
  balancedAccuracy?: number | undefined;
  falseAlarmRateBalanced?: number | undefined;
  recallBalanced?: number | undefined;
  falseAlarmRateCautious?: number | undefined;
  falseAlarmRateCautiousHigh?: number | undefined;
  recallCautious?: number | undefined;
  decided?: number | undefined;
  rightDecided?: number | undefined;
  kinds?: readonly KindRate[] | undefined;
}

/** How often whole pictures of one kind, or of one family of generators, are called artificial. */
export interface KindRate {
  label: 'human' | 'artificial';
  kind: string;
  images: number;
  sources: number;
  called: number;
  calledLow: number;
  calledHigh: number;
  version?: string | undefined;
}

interface StatedErrors {
  id: string;
  figures?: readonly FigureRow[];
  outside?: readonly (OutsideSet & { tiers: readonly FigureRow[] })[] | undefined;
}

/** The rows of a pack; a pack that judges no origin has none. */
export function figuresOf({ figures = [], outside = [] }: StatedErrors): FigureRow[] {
  return [
    ...outside.flatMap(({ tiers, ...set }) => tiers.map((row) => ({ ...row, outside: set }))),
    ...figures,
  ];
}

/** Balanced accuracy is the mean of both sides, so one side follows from the other. */
export function foundOf({
  recallBalanced,
  balancedAccuracy,
  falseAlarmRateBalanced,
}: FigureRow): number | undefined {
  if (recallBalanced !== undefined) return recallBalanced;
  if (balancedAccuracy === undefined || falseAlarmRateBalanced === undefined) return undefined;
  return 2 * balancedAccuracy - (1 - falseAlarmRateBalanced);
}

export function sampleOf({ files, images, clips, faces, outside }: FigureRow): number | undefined {
  return files ?? images ?? clips ?? faces ?? outside?.files;
}

/** Rates per hundred, for places with room for one measurement. */
export interface ErrorRates {
  /** Absent without an outside measurement: the rates are then of owners left out in training. */
  outside: OutsideSet | undefined;
  falseAlarms: string;
  found: string;
}

/** The range over the tiers of the first outside set of that kind of media. Without one: recompressed files of owners left out, which arrive most. */
export function errorRatesOf(rows: readonly FigureRow[], kind: MediaKind): ErrorRates | undefined {
  const outside = rows.find((row) => row.outside?.kind === kind)?.outside;
  const inside = rows.filter((row) => row.outside === undefined);
  const measured =
    outside === undefined
      ? [inside.find(({ tier }) => tier === 'web') ?? inside[0]].filter((row) => row !== undefined)
      : rows.filter((row) => row.outside?.set === outside.set && row.outside.version === outside.version);
  if (measured.length === 0) return undefined;
  return {
    outside,
    falseAlarms: rangeOf(measured.map(({ falseAlarmRateBalanced }) => falseAlarmRateBalanced)),
    found: rangeOf(measured.map(foundOf)),
  };
}

/** `6` or `45–52`; `–` where none was measured. */
function rangeOf(shares: readonly (number | undefined)[]): string {
  const known = shares.filter((share) => share !== undefined).map((share) => Math.round(100 * share));
  if (known.length === 0) return '–';
  const [low, high] = [Math.min(...known), Math.max(...known)];
  return low === high ? String(low) : `${low}–${high}`;
}

/** A clause for each kind of media that a pack was measured on outside; empty without any. */
export function describeOutside(rows: readonly FigureRow[]): string {
  return MEDIA_KINDS.map((kind) => errorRatesOf(rows, kind))
    .flatMap((rates) => (rates?.outside === undefined ? [] : [describe(rates, rates.outside)]))
    .join('; ');
}

function describe({ falseAlarms, found }: ErrorRates, outside: OutsideSet): string {
  return `${falseAlarms} of 100 by people accused, ${found} of 100 artificial ones found (${describeSet(outside)})`;
}

/** `outside harvest, 102 files, 80 owners, 1.4.0, 2026-11-26`. */
export function describeSet({ set, version, date, files, sources, owners }: OutsideSet): string {
  const sizes = Object.entries({ files, sources, owners }).flatMap(([what, count]) =>
    count === undefined ? [] : [`${count} ${what}`],
  );
  return [set, ...sizes, version, date].join(', ');
}

/**
 * How well the maps of edits meet the masks: figures of each picture, averaged with the weights that all figures have.
 * Pictures without a mask are in none of them; authentic ones say how much is called that nobody edited.
 */
import { drawSources, type Interval, REPLICATES, toInterval } from './bootstrap.ts';
import { MAP_THRESHOLDS } from './edit-masks.ts';
import { type Scored, toScored } from './figures.ts';
import type { Measurement } from './measurement.ts';
import { makeRandom } from './random.ts';

export interface Figure {
  value: number;
  low: number;
  high: number;
}

export interface LocalisationReport {
  threshold: number;
  /** Edited pictures with a mask. */
  masked: number;
  /** Authentic pictures with a map. */
  authentic: number;
  /** 2 × hit / (called + edited), mean over edited pictures. */
  f1: Figure;
  /** hit / called; 0 if nothing is called. */
  precision: Figure;
  /** hit / edited. */
  recall: Figure;
  /** Share of the pixels of authentic pictures that is called edited. */
  falselyCalled: Figure;
}

type FigureName = 'f1' | 'precision' | 'recall' | 'falselyCalled';

/** One row per threshold; none if no picture has a map. */
export function toLocalisation(measurements: readonly Measurement[]): LocalisationReport[] {
  const withMap = measurements.filter(({ localisation }) => localisation !== undefined);
  if (withMap.length === 0) return [];
  return MAP_THRESHOLDS.map((threshold, index) => toRow(withMap, threshold, index));
}

function toRow(withMap: readonly Measurement[], threshold: number, index: number): LocalisationReport {
  const byLabel = (label: string) => withMap.filter((measurement) => measurement.label === label);
  const [edited, authentic] = [byLabel('artificial'), byLabel('human')];
  const ofEdited = (name: FigureName) => toFigure(edited, (it) => toPixels(it, index)[name]);
  return {
    threshold,
    masked: edited.length,
    authentic: authentic.length,
    f1: ofEdited('f1'),
    precision: ofEdited('precision'),
    recall: ofEdited('recall'),
    falselyCalled: toFigure(authentic, (it) => toPixels(it, index).falselyCalled),
  };
}

function toPixels({ localisation }: Measurement, index: number): Record<FigureName, number> {
  const { edited = 0, called: allCalled = [], hit: allHit = [] } = localisation ?? {};
  const [called, hit] = [allCalled[index] ?? 0, allHit[index] ?? 0];
  return {
    f1: (2 * hit) / (called + edited),
    precision: called === 0 ? 0 : hit / called,
    recall: hit / edited,
    falselyCalled: called,
  };
}

const SEED = 1;

/** The weighted mean of a figure over pictures of one label, with the interval from drawing their sources again. */
function toFigure(pictures: readonly Measurement[], figureOf: (measurement: Measurement) => number): Figure {
  const rows = toScored(pictures, figureOf);
  const sources = [...new Set(rows.map(({ source }) => source))];
  const random = makeRandom(SEED);
  const drawn = Array.from({ length: REPLICATES }, () => meanOf(drawSources(rows, [sources], random)));
  const [low, high]: Interval = toInterval(drawn);
  return { value: meanOf(rows), low, high };
}

function meanOf(rows: readonly Scored[]): number {
  const total = rows.reduce((sum, { weight }) => sum + weight, 0);
  return rows.reduce((sum, { weight, probability }) => sum + weight * probability, 0) / total;
}

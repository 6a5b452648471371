/** Options that change the measured result are part of the analysis key; those that change its reading are not. */
import { rowsOf, type ValuesOf } from '../field.ts';
import type { MediaKind } from '../media/media.ts';
import { ANALYSIS_OPTIONS } from './analysis-options.ts';

export type AnalysisOptions = ValuesOf<typeof ANALYSIS_OPTIONS>;

export const DEFAULT_OPTIONS = Object.freeze(
  Object.fromEntries(rowsOf(ANALYSIS_OPTIONS).map(([name, { initial }]) => [name, initial])),
) as unknown as Readonly<AnalysisOptions>;

/** Whether the kind has the option; elsewhere it is an unknown field and is ignored. */
export function isOptionOf(kind: MediaKind, name: keyof AnalysisOptions): boolean {
  return ANALYSIS_OPTIONS[name].kinds.includes(kind);
}

/** Adds options that the storing version did not know, as not asked for. */
export function completeOptions(stored: Partial<AnalysisOptions>): AnalysisOptions {
  return { ...DEFAULT_OPTIONS, ...stored };
}

/** The options' part of an analysis key: stable text, only of options that change the result. */
export function optionsKey(kind: MediaKind, asked: AnalysisOptions): string {
  const options = completeOptions(asked);
  return rowsOf(ANALYSIS_OPTIONS)
    .filter(([name, row]) => isOptionOf(kind, name) && !row.isReadOnly && options[name] !== row.initial)
    .map(([name]) => `${name}=${options[name]}`)
    .sort()
    .join('&');
}

/** Analyses that can be added to a finished record: their kinds and options. */
import { rowsOf } from '../field.ts';
import type { MediaKind } from '../media/media.ts';
import { ANALYSIS_OPTIONS } from './analysis-options.ts';
import { type AnalysisOptions, DEFAULT_OPTIONS } from './options.ts';
import type { AddableAnalysis } from './plan-option.ts';

type Rows = typeof ANALYSIS_OPTIONS;
type AskedName = {
  [Name in keyof Rows]: Rows[Name]['planOption'] extends undefined ? never : Name;
}[keyof Rows];

const OPTIONS = Object.fromEntries(
  rowsOf(ANALYSIS_OPTIONS).map(([name, { planOption }]) => [planOption, name]),
) as Readonly<Record<AddableAnalysis, AskedName>>;

export function isAddableTo(kind: MediaKind, analysis: AddableAnalysis): boolean {
  return ANALYSIS_OPTIONS[OPTIONS[analysis]].kinds.includes(kind);
}

export function isAskedFor(options: AnalysisOptions, analysis: AddableAnalysis): boolean {
  return options[OPTIONS[analysis]];
}

export function withAnalyses(
  options: AnalysisOptions,
  analyses: readonly AddableAnalysis[],
): AnalysisOptions {
  return { ...options, ...Object.fromEntries(analyses.map((analysis) => [OPTIONS[analysis], true])) };
}

/** Only the addition is made: the same frames as before, and a video's sound only if it is what is added. */
export function optionsOfAddition(
  kind: MediaKind,
  options: AnalysisOptions,
  analyses: readonly AddableAnalysis[],
): AnalysisOptions {
  const { frames, keyFrames, keyFramesMethod, ensureFacePerFrame } = options;
  const chosen = { ...DEFAULT_OPTIONS, frames, keyFrames, keyFramesMethod, ensureFacePerFrame };
  const added = withAnalyses(chosen, analyses);
  return { ...added, withAudio: added.withAudio || (kind === 'video' && added.withTranscript) };
}

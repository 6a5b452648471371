/** Analyses that can be asked for when a record has its result already: which there are, of which kind, as which option. */

import type { MediaKind } from '../media/media.ts';
import { ANALYSIS_OPTIONS } from './analysis-options.ts';
import { type AnalysisOptions, DEFAULT_OPTIONS } from './options.ts';

/** By the names that plans and prices know them by. */
export const ADDABLE_ANALYSES = [
  'heatmap',
  'tampering',
  'morphing',
  'nsfw',
  'audio_track',
  'transcript',
] as const;
export type AddableAnalysis = (typeof ADDABLE_ANALYSES)[number];

const OPTIONS = {
  heatmap: 'withHeatmap',
  tampering: 'withTampering',
  morphing: 'withMorphing',
  nsfw: 'withNsfw',
  audio_track: 'withAudio',
  transcript: 'withTranscript',
} as const satisfies Readonly<Record<AddableAnalysis, keyof AnalysisOptions>>;

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

/**
 * The options under which only what was added is made: the same frames as before, and the sound of a video only if
 * that is what is heard.
 */
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

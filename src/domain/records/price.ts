/** What a submission costs under a plan: its kind, and each option it switches on. */

import type { Plan, PlanOption } from '../accounts/plan.ts';
import type { MediaKind } from '../media/media.ts';
import type { AnalysisOptions } from './options.ts';

/** Options that can have a price; the others are no choice of the submitter. */
export const PRICED_OPTIONS = [
  'morphing',
  'tampering',
  'heatmap',
  'nsfw',
  'audio_track',
  'webhook',
] as const satisfies readonly PlanOption[];
export type PricedOption = (typeof PRICED_OPTIONS)[number];

export interface PricedSubmission {
  kind: MediaKind;
  /** Within the plan: what the plan does not enable has been taken out. */
  options: AnalysisOptions;
  webhookUrl: string | null;
}

export function priceOf(plan: Plan, { kind, options, webhookUrl }: PricedSubmission): number {
  const isOn: Readonly<Record<PricedOption, boolean>> = {
    morphing: options.withMorphing,
    tampering: options.withTampering,
    heatmap: options.withHeatmap,
    nsfw: options.withNsfw,
    audio_track: options.withAudio,
    webhook: webhookUrl !== null,
  };
  const extras = PRICED_OPTIONS.filter((option) => isOn[option]);
  return extras.reduce((sum, option) => sum + (plan.optionCredits[option] ?? 0), plan.credits[kind]);
}

/** Options that the plan does not enable are ignored (interface.md, Authentication rule 5). */
export function enabledOptions(plan: Plan, options: AnalysisOptions): AnalysisOptions {
  const has = (option: PlanOption): boolean => plan.options.includes(option);
  return {
    ...options,
    withMorphing: options.withMorphing && has('morphing'),
    withTampering: options.withTampering && has('tampering'),
    withHeatmap: options.withHeatmap && has('heatmap'),
    withNsfw: options.withNsfw && has('nsfw'),
    withAudio: options.withAudio && has('audio_track'),
  };
}
